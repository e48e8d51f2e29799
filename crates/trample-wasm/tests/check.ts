// Types of the package, as a program uses them; .ci/npm compiles it where there is TypeScript.
import init, { World, libraryScenes, type TrampleEvent, type FootState, type MapName } from "trample-wasm";

await init();
const world: World = World.fromLibrary(libraryScenes()[0].name);
const host: number = world.addPuppet({ feet: 2, control: "weight", footwear: "boot", pinned: true });
world.setFoot(host, 0, [1, 0, 1], { rotation: new Float32Array([0, 0, 0, 1]), force: undefined });
world.step();
const name: MapName = "height";
const heights: Float32Array = world.map(name, 0, 0, world.columns, world.rows);
const depths: number[] = world.takeEvents().flatMap((event: TrampleEvent) => (event.kind === "foot_up" ? [event.depth] : []));
const state: FootState | undefined = world.foot(host, 0);
// @ts-expect-error: no such control.
world.setControl(host, "wish");
console.log(heights.length, depths.length, state?.down, world.hash());
