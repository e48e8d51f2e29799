/* trample for C: feet on natural ground. Generated from the Rust source by crates/trample-c/tests/bindings.rs.
 * MIT OR Apache-2.0.
 *
 * Create a world from a scene in TOML or from the library, set the poses of feet, step the world, and query what changed. Lengths are in
 * metres, y up, axes right-handed; times in seconds, forces in newtons. Strings are UTF-8 and zero-terminated. Use a world from one thread at
 * a time; different worlds may be used from different threads. Functions return errors as documented; trample_last_error gives the reason. */

#ifndef TRAMPLE_H
#define TRAMPLE_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

// Cells along the side of a tile.
#define TRAMPLE_TILE 8

// Feet share the weight of the body, unless they are given forces before their first step.
#define TRAMPLE_BY_WEIGHT_OR_FORCE 0

// Feet share the weight of the body; at most eight.
#define TRAMPLE_BY_WEIGHT 1

// Each foot presses with the force that it is given.
#define TRAMPLE_BY_FORCE 2

// Each foot is held where it is put, and the ground answers with a force, which `trample_foot` reads; under the natural law, soles free.
#define TRAMPLE_BY_POSITION 3

// A foot met the ground.
#define TRAMPLE_FOOT_DOWN 0

// A foot left the ground.
#define TRAMPLE_FOOT_UP 1

// A puppet's pose was not a number; it is left out from now on.
#define TRAMPLE_QUARANTINED 2

// A world. Opaque: made by `trample_from_toml` or `trample_from_library`, freed by `trample_free`.
typedef struct TrampleWorld TrampleWorld;

// A square of cells whose surface has changed: a rectangle for `trample_map`. At the edge of the terrain it is cut off.
typedef struct TrampleTile {
  // First column of cells.
  int32_t x;
  // First row of cells.
  int32_t z;
  // Columns, at most `TRAMPLE_TILE`.
  uint32_t columns;
  // Rows, at most `TRAMPLE_TILE`.
  uint32_t rows;
} TrampleTile;

// What happened to a foot. What an event does not know is not a number.
typedef struct TrampleEvent {
  // One of `TRAMPLE_FOOT_DOWN`, `TRAMPLE_FOOT_UP`, `TRAMPLE_QUARANTINED`.
  uint32_t kind;
  // Number of the puppet in the scene.
  uint32_t puppet;
  // Its number among those that you move; −1 if it moves itself.
  int32_t host;
  // Which foot; −1 if the event is of none.
  int32_t foot;
  // When, s.
  double time;
  // Where, m: x, y, z; y as in the pose.
  float position[3];
  // Largest normal force: of the step as it meets the ground, of the stance as it leaves, N.
  double force;
  // Contact area, m².
  double area;
  // Mean depth of the print, m; known as the foot leaves.
  double depth;
  // Normal force over time, N·s; known as the foot leaves.
  double impulse;
  // How long it stood, s; known as the foot leaves.
  double stance;
} TrampleEvent;

// A foot on the ground during the last step.
typedef struct TrampleContact {
  // Number of the puppet in the scene.
  uint32_t puppet;
  // Its number among those that you move; −1 if it moves itself.
  int32_t host;
  // Which foot.
  int32_t foot;
  // For how much of the step, s.
  double seconds;
  // Mean force on the ground, N: x, y, z.
  float force[3];
  // Mean force into the ground, N.
  double normal_force;
  // Contact area, m².
  double area;
  // Mean normal pressure, Pa.
  double pressure;
  // Mean depth below the original ground, m.
  double depth;
  // Height of the sole's lowest plane, m.
  double height;
  // How the sole slides because the ground cannot hold it, m/s: x, y, z.
  float slip[3];
  // Where the force acts in the mean, m: x and z.
  float cop[2];
} TrampleContact;

// A body that you move. Zeros and NULL stand for the usual.
typedef struct TramplePuppet {
  // How many feet it has.
  uint32_t feet;
  // What moves them: one of `TRAMPLE_BY_…`.
  uint32_t control;
  // Mass, kg; 0 for the usual.
  double mass;
  // Name of its footwear, such as "boot"; NULL for the usual.
  const char *footwear;
  // Length of a foot, m; 0 for the usual.
  double foot_length;
  // Width of a foot, m; 0 for the usual.
  double foot_width;
  // Whether the y of its soles is the clearance above the ground, 0 when planted; else it is a height.
  bool pinned;
} TramplePuppet;

// Where one foot is at the end of the next step, and how it moves.
typedef struct TrampleSole {
  // Middle of the sole on its lowest plane, m: x, y, z. Of a pinned puppet y is the clearance above the ground, 0 when planted.
  float position[3];
  // From the sole's frame (x forward, y up, z right) to the world's: x, y, z, w; not 0, made to have length 1.
  float rotation[4];
  // How the middle moves, m/s.
  float velocity[3];
  // How it turns, rad/s.
  float spin[3];
  // Turn of the forefoot about the ball, rad, toes up positive.
  float toe_bend;
} TrampleSole;

// How the last step left a foot that you move; zeros while it is in the air.
typedef struct TrampleFoot {
  // Whether it is on the ground.
  bool down;
  // Force on the ground, N: x, y, z. That at the end of the step of a foot by position, else the mean over the step.
  float force[3];
  // The part of it into the ground, N.
  double normal_force;
  // Mean depth below the original ground, m.
  double sinkage;
  // How it slides because the ground cannot hold it, m/s: x, y, z.
  float slip[3];
  // Height of its lowest plane, m; not a number in the air.
  double height;
  // Contact area, m².
  double area;
  // Mean normal pressure, Pa.
  double pressure;
  // What wet ground would hold it back with if it were lifted now, N.
  double suction;
} TrampleFoot;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0". It is never freed.
const char *trample_version(void);

// What went wrong in the last call of this thread that failed; empty if none has. Never NULL; it lives until the next call of this
// thread fails, and is not freed.
const char *trample_last_error(void);

// The names of the library's scenes, one per line. It is never freed.
const char *trample_library_scenes(void);

// The names of the maps that `trample_map` reads, one per line. It is never freed.
const char *trample_map_names(void);

// Makes a world from a scene in TOML. Files that it names are looked for in `folder`; NULL is the current folder. NULL if `toml` is NULL or
// not UTF-8 or the scene is wrong; `trample_last_error` then names the line, the field and what is allowed.
//
// `toml` and `folder` must each be NULL or end in a zero byte.
struct TrampleWorld *trample_from_toml(const char *toml, const char *folder);

// Makes a world from a scene of the library. NULL if `name` is NULL or not UTF-8 or there is no such scene; `trample_last_error` then
// names those that there are.
//
// `name` must be NULL or end in a zero byte.
struct TrampleWorld *trample_from_library(const char *name);

// Frees a world. NULL is ignored.
//
// `world` must be NULL or come from `trample_from_toml` or `trample_from_library`, and must not be used afterwards.
void trample_free(struct TrampleWorld *world);

// Goes on by `dt` seconds, at most 0.25; by the scene's own step if `dt` is 0. False, and nothing has happened, if `world` is NULL or `dt` is
// negative, too long or not a number.
//
// `world` must be NULL or a world.
bool trample_step(struct TrampleWorld *world,
                  double dt);

// Lets everything loose come to rest, without time passing and as if every foot had left, as `trample run` does at its end. False if
// `world` is NULL.
//
// `world` must be NULL or a world.
bool trample_settle(struct TrampleWorld *world);

// Whether the scene is over: its duration has passed or, where it names none, everybody has arrived. A world can be stepped on after
// that. True if `world` is NULL, so that a loop ends.
//
// `world` must be NULL or a world.
bool trample_is_over(const struct TrampleWorld *world);

// Time since the start, s. Not a number if `world` is NULL.
//
// `world` must be NULL or a world.
double trample_time(const struct TrampleWorld *world);

// The scene's own step, s. Not a number if `world` is NULL.
//
// `world` must be NULL or a world.
double trample_step_length(const struct TrampleWorld *world);

// 64 bits of the whole state: the same on every machine after the same steps. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
uint64_t trample_hash(const struct TrampleWorld *world);

// The side of a cell, m, and how many columns (along x) and rows (along z) of cells there are. Each of `cell`, `columns` and `rows` may be
// NULL. False, and nothing is written, if `world` is NULL.
//
// `world` must be NULL or a world; the others must each be NULL or writable.
bool trample_size(const struct TrampleWorld *world, double *cell, uint32_t *columns, uint32_t *rows);

// Height of the surface at a place, m, smoothly between cells; beyond the terrain that of its edge. Not a number if `world` is NULL or a
// coordinate is not a number.
//
// `world` must be NULL or a world.
double trample_height(const struct TrampleWorld *world, double x, double z);

// Reads a map, such as "height" or "delta", over a rectangle of cells, row by row from the smallest z. False, and nothing is written, if
// `world`, `map` or `out` is NULL, if there is no such map, if the rectangle is empty or reaches beyond the terrain, or if `capacity`, the
// numbers that `out` has room for, is less than `columns` times `rows`.
//
// `world` must be NULL or a world, `map` NULL or end in a zero byte, and `out` NULL or have room for `capacity` numbers.
bool trample_map(const struct TrampleWorld *world,
                 const char *map,
                 int32_t x,
                 int32_t z,
                 uint32_t columns,
                 uint32_t rows,
                 float *out,
                 size_t capacity);

// How many tiles have changed and were not taken yet. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
size_t trample_changed_count(const struct TrampleWorld *world);

// Takes tiles whose surface has changed, at most `capacity`; those that are left wait. How many were written: 0 if `world` or `out` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` tiles.
size_t trample_take_changed(struct TrampleWorld *world,
                            struct TrampleTile *out,
                            size_t capacity);

// How many events happened and were not taken yet. 0 if `world` is NULL. At most 65,536 are kept; then the oldest go.
//
// `world` must be NULL or a world.
size_t trample_event_count(const struct TrampleWorld *world);

// Takes what happened, oldest first, at most `capacity`; the rest waits. How many were written: 0 if `world` or `out` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` events.
size_t trample_take_events(struct TrampleWorld *world, struct TrampleEvent *out, size_t capacity);

// How many feet were on the ground during the last step. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
size_t trample_contact_count(const struct TrampleWorld *world);

// Reads the feet that were on the ground during the last step, at most `capacity`. How many were written: 0 if `world` or `out` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` contacts.
size_t trample_contacts(const struct TrampleWorld *world, struct TrampleContact *out, size_t capacity);

// Writes the whole state as bytes if `capacity` is enough. How many bytes it has: ask with `out` NULL first. 0 if `world` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` bytes.
size_t trample_snapshot(const struct TrampleWorld *world, uint8_t *out, size_t capacity);

// Brings a state of the same scene back. Events begin anew, and every tile that either state has touched counts as changed. False, and the
// world is as it was, if `world` or `bytes` is NULL or the bytes are not a state of this scene.
//
// `world` must be NULL or a world, and `bytes` NULL or have `count` bytes.
bool trample_restore(struct TrampleWorld *world, const uint8_t *bytes, size_t count);

// How many puppets you move: those of the scene with `motion = "host"`, in its order, then those that were added. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
uint32_t trample_hosts(const struct TrampleWorld *world);

// How many feet a puppet that you move has. 0 if `world` is NULL or there is no such puppet.
//
// `world` must be NULL or a world.
uint32_t trample_feet(const struct TrampleWorld *world, uint32_t host);

// Adds a puppet that you move; its number among them. −1, and the world is as it was, if `world` or `puppet` is NULL, or if the puppet is not
// possible: a mass out of range, an unknown footwear or control, more than eight feet by weight, positions where the terrain's law is not
// `natural`.
//
// `world` must be NULL or a world, `puppet` NULL or a puppet whose `footwear` is NULL or ends in a zero byte.
int32_t trample_add_puppet(struct TrampleWorld *world,
                           const struct TramplePuppet *puppet);

// Says before its first step how a puppet of the scene is moved: one of `TRAMPLE_BY_…`. False, and nothing has changed, if `world` is
// NULL, there is no such puppet or control, it has stepped or was given forces, or the control is not possible for it.
//
// `world` must be NULL or a world.
bool trample_set_control(struct TrampleWorld *world, uint32_t host, uint32_t control);

// Says where a foot is at the end of the next step and, unless `force` is NULL, what it presses the ground with: three numbers, N, down is
// negative y. A puppet whose feet are given forces before its first step is driven by forces, 0 until said; a force stays until another is
// said. False, and nothing has changed, if `world` or `sole` is NULL, there is no such puppet or foot, a number is not finite, the rotation is
// 0, or a force comes too late or where none is expected.
//
// `world` must be NULL or a world, `sole` NULL or readable, `force` NULL or three numbers.
bool trample_set_foot(struct TrampleWorld *world,
                      uint32_t host,
                      uint32_t foot,
                      const struct TrampleSole *sole,
                      const float *force);

// Says where the centre of mass of a puppet that you move is: three numbers, m. Its weight is shared between its feet by that; until it is
// said, it lies in the middle between them. False, and nothing has changed, if `world` or `centre` is NULL, there is no such puppet, or a
// number is not finite.
//
// `world` must be NULL or a world, `centre` NULL or three numbers.
bool trample_set_centre(struct TrampleWorld *world, uint32_t host, const float *centre);

// Reads how the last step left a foot that you move. False, and nothing is written, if `world` or `out` is NULL or there is no such foot.
//
// `world` must be NULL or a world, `out` NULL or writable.
bool trample_foot(const struct TrampleWorld *world, uint32_t host, uint32_t foot, struct TrampleFoot *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRAMPLE_H */
