//! The command `trample-play`: the simulator in a window, or pictures of it without one.

#[cfg(not(target_arch = "wasm32"))]
fn main() -> std::process::ExitCode {
    trample_play::command::main()
}

#[cfg(target_arch = "wasm32")]
fn main() {
    trample_play::web::main();
}
