// Node: the program is read from beside this file and is ready at once.
import { readFileSync } from "node:fs";
import { initSync } from "./trample_wasm.js";

initSync({ module: readFileSync(new URL("./trample_wasm_bg.wasm", import.meta.url)) });

export * from "./trample_wasm.js";
/** As in browsers, where it loads the program; here that is done. */
export default async function init() {}
