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

// Each foot presses with the given force.
#define TRAMPLE_BY_FORCE 2

// Each foot is held at its pose; `trample_foot` returns the reaction force of the ground. Natural law and free soles only.
#define TRAMPLE_BY_POSITION 3

// A foot touched the ground.
#define TRAMPLE_FOOT_DOWN 0

// A foot left the ground.
#define TRAMPLE_FOOT_UP 1

// A puppet's pose was not finite; the puppet is ignored from now on.
#define TRAMPLE_QUARANTINED 2

// A world. Opaque: made by `trample_from_toml` or `trample_from_library`, freed by `trample_free`.
typedef struct TrampleWorld TrampleWorld;

// A square of cells whose surface has changed, as a rectangle for `trample_map`; smaller at the edge of the terrain.
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

// An event of a foot. Values that do not apply to the event are NaN.
typedef struct TrampleEvent {
  // One of `TRAMPLE_FOOT_DOWN`, `TRAMPLE_FOOT_UP`, `TRAMPLE_QUARANTINED`.
  uint32_t kind;
  // Index of the puppet in the scene.
  uint32_t puppet;
  // Its index among the puppets that you move; −1 if it moves by itself.
  int32_t host;
  // Index of the foot; −1 if the event has none.
  int32_t foot;
  // Time, s.
  double time;
  // Position, m: x, y, z; y as in the pose.
  float position[3];
  // Largest normal force, N: of the step when it touches the ground, of the stance when it leaves.
  double force;
  // Contact area, m².
  double area;
  // Mean depth of the print, m; when the foot leaves.
  double depth;
  // Integral of the normal force over time, N·s; when the foot leaves.
  double impulse;
  // Duration of the stance, s; when the foot leaves.
  double stance;
} TrampleEvent;

// A foot on the ground during the last step.
typedef struct TrampleContact {
  // Index of the puppet in the scene.
  uint32_t puppet;
  // Its index among the puppets that you move; −1 if it moves by itself.
  int32_t host;
  // Index of the foot.
  int32_t foot;
  // Duration of contact within the step, s.
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
  // Velocity at which the sole slips, m/s: x, y, z.
  float slip[3];
  // Mean point of application of the force, m: x and z.
  float cop[2];
} TrampleContact;

// A body that you move. Zeros and NULL select default values.
typedef struct TramplePuppet {
  // Number of feet.
  uint32_t feet;
  // Control of the feet: one of `TRAMPLE_BY_…`.
  uint32_t control;
  // Mass, kg; 0 for the default.
  double mass;
  // Name of its footwear, such as "boot"; NULL for the default.
  const char *footwear;
  // Length of a foot, m; 0 for the default.
  double foot_length;
  // Width of a foot, m; 0 for the default.
  double foot_width;
  // Whether y of its soles is the clearance above the ground, 0 when planted; otherwise it is a height.
  bool pinned;
} TramplePuppet;

// Pose and motion of one foot at the end of the next step.
typedef struct TrampleSole {
  // Middle of the sole on its lowest plane, m: x, y, z. For a pinned puppet y is the clearance above the ground, 0 when planted.
  float position[3];
  // Quaternion from the sole's frame (x forward, y up, z right) to the world's: x, y, z, w; not 0, it is normalised.
  float rotation[4];
  // Velocity of the middle, m/s.
  float velocity[3];
  // Angular velocity, rad/s.
  float spin[3];
  // Rotation of the forefoot about the ball, rad, toes up positive.
  float toe_bend;
} TrampleSole;

// State of a foot that you move after the last step; zeros while it is in the air.
typedef struct TrampleFoot {
  // Whether it is on the ground.
  bool down;
  // Force on the ground, N: x, y, z. At the end of the step for position control, otherwise the mean over the step.
  float force[3];
  // Its component into the ground, N.
  double normal_force;
  // Mean depth below the original ground, m.
  double sinkage;
  // Velocity at which it slips, m/s: x, y, z.
  float slip[3];
  // Height of its lowest plane, m; NaN in the air.
  double height;
  // Contact area, m².
  double area;
  // Mean normal pressure, Pa.
  double pressure;
  // Suction force of wet ground if it were lifted now, N.
  double suction;
} TrampleFoot;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

// The version of the library, such as "0.1.0". It is never freed.
const char *trample_version(void);

// The message of the last failed call of this thread; empty if none has failed. Never NULL; it is valid until the next call of this
// thread fails, and is not freed.
const char *trample_last_error(void);

// The names of the library's scenes, one per line. It is never freed.
const char *trample_library_scenes(void);

// The names of the maps that `trample_map` reads, one per line. It is never freed.
const char *trample_map_names(void);

// Creates a world from a scene in TOML. Relative file names refer to `folder`; NULL is the current folder. Returns NULL if `toml` is NULL or
// not UTF-8 or the scene is invalid; `trample_last_error` then gives the line, the field and the allowed values.
//
// `toml` and `folder` must each be NULL or end in a zero byte.
struct TrampleWorld *trample_from_toml(const char *toml,
                                       const char *folder);

// Creates a world from a scene of the library. Returns NULL if `name` is NULL or not UTF-8 or there is no such scene; `trample_last_error` then
// lists the scenes.
//
// `name` must be NULL or end in a zero byte.
struct TrampleWorld *trample_from_library(const char *name);

// Frees a world. NULL is ignored.
//
// `world` must be NULL or come from `trample_from_toml` or `trample_from_library`, and must not be used afterwards.
void trample_free(struct TrampleWorld *world);

// Advances by `dt` seconds, at most 0.25; by the scene's own time step if `dt` is 0. Returns false without a step if `world` is NULL or `dt` is
// negative, too large or NaN.
//
// `world` must be NULL or a world.
bool trample_step(struct TrampleWorld *world,
                  double dt);

// Lets loose material slide to rest without advancing time, as if all feet were lifted, as `trample run` does at its end. Returns false if
// `world` is NULL.
//
// `world` must be NULL or a world.
bool trample_settle(struct TrampleWorld *world);

// Whether the scene is over: its duration has passed or, if it has none, all walkers have arrived. A world can be stepped further after
// that. True if `world` is NULL, so that a loop ends.
//
// `world` must be NULL or a world.
bool trample_is_over(const struct TrampleWorld *world);

// Time since the start, s. NaN if `world` is NULL.
//
// `world` must be NULL or a world.
double trample_time(const struct TrampleWorld *world);

// The scene's own time step, s. NaN if `world` is NULL.
//
// `world` must be NULL or a world.
double trample_step_length(const struct TrampleWorld *world);

// 64-bit hash of the whole state, the same on every machine after the same steps. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
uint64_t trample_hash(const struct TrampleWorld *world);

// The side of a cell, m, and the number of columns (along x) and rows (along z) of cells. Each of `cell`, `columns` and `rows` may be
// NULL. Returns false and writes nothing if `world` is NULL.
//
// `world` must be NULL or a world; the others must each be NULL or writable.
bool trample_size(const struct TrampleWorld *world, double *cell, uint32_t *columns, uint32_t *rows);

// Height of the surface at a point, m, interpolated between cells; beyond the terrain that of its edge. NaN if `world` is NULL or a
// coordinate is NaN.
//
// `world` must be NULL or a world.
double trample_height(const struct TrampleWorld *world, double x, double z);

// Reads a map, such as "height" or "delta", over a rectangle of cells, row by row from the smallest z. Returns false and writes nothing if
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

// Number of changed tiles that have not been taken yet. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
size_t trample_changed_count(const struct TrampleWorld *world);

// Takes tiles whose surface has changed, at most `capacity`; the rest stays queued. Returns the number written: 0 if `world` or `out` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` tiles.
size_t trample_take_changed(struct TrampleWorld *world,
                            struct TrampleTile *out,
                            size_t capacity);

// Number of events that have not been taken yet. 0 if `world` is NULL. At most 65,536 are kept; then the oldest are dropped.
//
// `world` must be NULL or a world.
size_t trample_event_count(const struct TrampleWorld *world);

// Takes events, oldest first, at most `capacity`; the rest stays queued. Returns the number written: 0 if `world` or `out` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` events.
size_t trample_take_events(struct TrampleWorld *world, struct TrampleEvent *out, size_t capacity);

// Number of feet that were on the ground during the last step. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
size_t trample_contact_count(const struct TrampleWorld *world);

// Reads the feet that were on the ground during the last step, at most `capacity`. Returns the number written: 0 if `world` or `out` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` contacts.
size_t trample_contacts(const struct TrampleWorld *world,
                        struct TrampleContact *out,
                        size_t capacity);

// Writes the whole state as bytes if `capacity` is enough. Returns its size in bytes: call it with `out` NULL first. 0 if `world` is NULL.
//
// `world` must be NULL or a world, and `out` NULL or have room for `capacity` bytes.
size_t trample_snapshot(const struct TrampleWorld *world, uint8_t *out, size_t capacity);

// Restores a state of the same scene. Queued events are cleared, and every tile touched in either state counts as changed. Returns false and
// changes nothing if `world` or `bytes` is NULL or the bytes are not a state of this scene.
//
// `world` must be NULL or a world, and `bytes` NULL or have `count` bytes.
bool trample_restore(struct TrampleWorld *world,
                     const uint8_t *bytes,
                     size_t count);

// Number of puppets that you move: those of the scene with `motion = "host"`, in its order, then the added ones. 0 if `world` is NULL.
//
// `world` must be NULL or a world.
uint32_t trample_hosts(const struct TrampleWorld *world);

// Number of feet of a puppet that you move. 0 if `world` is NULL or there is no such puppet.
//
// `world` must be NULL or a world.
uint32_t trample_feet(const struct TrampleWorld *world, uint32_t host);

// Adds a puppet that you move; returns its index among them. Returns −1 and changes nothing if `world` or `puppet` is NULL, or if it is not
// valid: a mass out of range, an unknown footwear or control, more than eight feet by weight, position control if the terrain's law is not
// `natural`.
//
// `world` must be NULL or a world, `puppet` NULL or a puppet whose `footwear` is NULL or ends in a zero byte.
int32_t trample_add_puppet(struct TrampleWorld *world,
                           const struct TramplePuppet *puppet);

// Sets the control of a puppet of the scene before its first step: one of `TRAMPLE_BY_…`. Returns false and changes nothing if `world` is
// NULL, there is no such puppet or control, it has stepped or was given forces, or the control is not possible for it.
//
// `world` must be NULL or a world.
bool trample_set_control(struct TrampleWorld *world, uint32_t host, uint32_t control);

// Sets the pose of a foot at the end of the next step and, unless `force` is NULL, its force on the ground: three numbers, N, down is
// negative y. A puppet whose feet get forces before its first step is force-controlled, with 0 until set; a force stays until it is
// changed. Returns false and changes nothing if `world` or `sole` is NULL, there is no such puppet or foot, a number is not finite, the rotation is
// 0, or a force comes too late or is not expected.
//
// `world` must be NULL or a world, `sole` NULL or readable, `force` NULL or three numbers.
bool trample_set_foot(struct TrampleWorld *world,
                      uint32_t host,
                      uint32_t foot,
                      const struct TrampleSole *sole,
                      const float *force);

// Sets the centre of mass of a puppet that you move: three numbers, m. It determines the weight share of the feet; until it is
// set, it is in the middle between them. Returns false and changes nothing if `world` or `centre` is NULL, there is no such puppet, or a
// number is not finite.
//
// `world` must be NULL or a world, `centre` NULL or three numbers.
bool trample_set_centre(struct TrampleWorld *world, uint32_t host, const float *centre);

// Reads the state of a foot that you move after the last step. Returns false and writes nothing if `world` or `out` is NULL or there is no such foot.
//
// `world` must be NULL or a world, `out` NULL or writable.
bool trample_foot(const struct TrampleWorld *world,
                  uint32_t host,
                  uint32_t foot,
                  struct TrampleFoot *out);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* TRAMPLE_H */
