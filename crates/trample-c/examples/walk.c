/* Two feet of one's own walk over mud, then a scene of the library runs to its end. Compiled and run by .ci/c.
 *
 *   cc -std=c11 -I crates/trample-c/include crates/trample-c/examples/walk.c -L target/release -ltrample_c -lm -o walk
 *   ./walk [SCENE]
 *
 * The last line is the hash that `trample run SCENE` reports. */
#include "trample.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define COLUMNS 400
#define ROWS 100

static void or_die(bool good, const char *what) {
    if (!good) {
        fprintf(stderr, "%s: %s\n", what, trample_last_error());
        exit(1);
    }
}

/* Where a foot is after some seconds: half a second on the ground, half a second on its way, half a stride behind the other. */
static TrampleSole foot_at(double time, int foot) {
    double phase = time + 0.5 * foot, swing = fmax(0.0, 2.0 * (phase - floor(phase)) - 1.0);
    TrampleSole sole = {.rotation = {0, 0, 0, 1}};
    sole.position[0] = (float)(0.6 + 1.2 * (floor(phase) + swing) - 0.6 * foot);
    /* The puppet is pinned: y is the clearance above the ground. */
    sole.position[1] = (float)(0.1 * sin(3.14159265 * swing));
    sole.position[2] = foot ? 0.9f : 1.1f;
    sole.velocity[0] = swing > 0.0 ? 2.4f : 0.0f;
    return sole;
}

static void own_feet(void) {
    TrampleWorld *world = trample_from_toml("[terrain]\nsize = [8.0, 2.0]\ncell = 0.02\nmaterial = \"mud\"\n", NULL);
    or_die(world != NULL, "the scene");
    TramplePuppet body = {.feet = 2, .control = TRAMPLE_BY_WEIGHT, .mass = 80, .footwear = "boot", .pinned = true};
    int host = trample_add_puppet(world, &body);
    or_die(host >= 0, "the puppet");

    /* What an engine would hold: a copy of the heights, of which only tiles that changed are read again. */
    float *heights = malloc(sizeof(float) * COLUMNS * ROWS), *whole = malloc(sizeof(float) * COLUMNS * ROWS);
    or_die(trample_map(world, "height", 0, 0, COLUMNS, ROWS, heights, COLUMNS * ROWS), "the map");
    size_t read = 0;
    int prints = 0;
    for (int frame = 0; frame < 300; frame++) {
        for (int foot = 0; foot < 2; foot++) {
            TrampleSole sole = foot_at((frame + 1) / 60.0, foot);
            or_die(trample_set_foot(world, (uint32_t)host, (uint32_t)foot, &sole, NULL), "the foot");
        }
        or_die(trample_step(world, 1.0 / 60.0), "the step");
        TrampleTile tile;
        while (trample_take_changed(world, &tile, 1) == 1) {
            float part[TRAMPLE_TILE * TRAMPLE_TILE];
            or_die(trample_map(world, "height", tile.x, tile.z, tile.columns, tile.rows, part, TRAMPLE_TILE * TRAMPLE_TILE),
                   "the tile");
            for (uint32_t z = 0; z < tile.rows; z++)
                for (uint32_t x = 0; x < tile.columns; x++)
                    heights[((uint32_t)tile.z + z) * COLUMNS + (uint32_t)tile.x + x] = part[z * tile.columns + x];
            read += tile.columns * tile.rows;
        }
        TrampleEvent event;
        while (trample_take_events(world, &event, 1) == 1) {
            if (event.kind == TRAMPLE_FOOT_UP && event.host == host) {
                printf("%.2f s: foot %d left a print %.0f mm deep at x = %.2f m\n", event.time, event.foot, 1e3 * event.depth,
                       event.position[0]);
                prints += event.depth > 0.001;
            }
        }
    }
    or_die(trample_map(world, "height", 0, 0, COLUMNS, ROWS, whole, COLUMNS * ROWS), "the map");
    for (int i = 0; i < COLUMNS * ROWS; i++) {
        if (heights[i] != whole[i]) {
            fprintf(stderr, "cell %d changed outside of the tiles\n", i);
            exit(1);
        }
    }
    printf("%d prints; %zu numbers read in 300 frames, where all cells of each would be %d\n", prints, read, 300 * COLUMNS * ROWS);
    if (prints < 6 || read >= (size_t)(300 * COLUMNS * ROWS) / 10) exit(1);
    free(heights);
    free(whole);
    trample_free(world);
}

int main(int count, char **words) {
    const char *scene = count > 1 ? words[1] : "plate";
    printf("trample %s\n", trample_version());
    if (trample_from_toml("[terrain]\ncell = 7\n", NULL) != NULL) return 1;
    printf("a scene that is wrong: %s\n", trample_last_error());
    own_feet();

    TrampleWorld *world = trample_from_library(scene);
    or_die(world != NULL, scene);
    while (!trample_is_over(world)) or_die(trample_step(world, 0), "the step");
    or_die(trample_settle(world), "at the end");
    printf("%s %016llx\n", scene, (unsigned long long)trample_hash(world));
    trample_free(world);
    return 0;
}
