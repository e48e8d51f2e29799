//! The controls: every order a person can give, with the keys, the gamepad button and the touch button that give it.
//!
//! This table is the only place that lists them. Reading input (`app::input`), the help window, the buttons of a touch screen, the
//! key names of drive scripts and the table in `docs/play.md` are made from it. An order is one line here and one arm of
//! `app::input::obey`.

use crate::camera::View;
use serde::Deserialize;

macro_rules! named {
    ($(#[$about:meta])* $name:ident as $bevy:path { $($code:ident $label:literal,)* }) => {
        $(#[$about])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
        #[expect(missing_docs, reason = "the names are Bevy's")]
        pub enum $name { $($code,)* }

        impl $name {
            /// What help calls it.
            pub const fn label(self) -> &'static str {
                match self { $(Self::$code => $label,)* }
            }
        }

        #[cfg(feature = "app")]
        impl From<$name> for $bevy {
            fn from(own: $name) -> Self {
                match own { $($name::$code => Self::$code,)* }
            }
        }
    };
}

named! {
    /// The keys that controls and drive scripts use, by Bevy's names.
    Key as bevy::input::keyboard::KeyCode {
        KeyA "A", KeyB "B", KeyC "C", KeyD "D", KeyE "E", KeyF "F", KeyG "G", KeyH "H", KeyM "M", KeyN "N", KeyO "O", KeyP "P", KeyQ "Q", KeyR "R", KeyS "S",
        KeyT "T", KeyW "W", KeyX "X", KeyZ "Z", Digit1 "1", Digit2 "2", Digit3 "3", Digit4 "4", Digit5 "5", Digit6 "6", Space "Space",
        Enter "Enter", Backspace "Backspace", Tab "Tab", Escape "Escape", Period ".", BracketLeft "[", BracketRight "]",
        ArrowUp "↑", ArrowDown "↓", ArrowLeft "←", ArrowRight "→", ShiftLeft "Shift", ShiftRight "Shift", ControlLeft "Ctrl",
        ControlRight "Ctrl", F1 "F1", F3 "F3", F12 "F12",
    }
}

named! {
    /// The gamepad buttons that controls use, by Bevy's names: `RightTrigger` is the upper one, the shoulder button.
    Pad as bevy::input::gamepad::GamepadButton {
        South "south button", East "east button", North "north button", Start "start button", LeftTrigger "left shoulder",
        RightTrigger "right shoulder", RightTrigger2 "right trigger", DPadUp "D-pad up", DPadDown "D-pad down",
    }
}

/// Something a person asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Walk away from the camera, while held.
    Ahead,
    /// Walk to the left, while held.
    Left,
    /// Walk towards the camera, while held.
    Back,
    /// Walk to the right, while held.
    Right,
    /// Run, while held.
    Run,
    /// Sidestep to the left, while held.
    SideLeft,
    /// Sidestep to the right, while held.
    SideRight,
    /// Jump.
    Jump,
    /// Push the walker from its left.
    Push,
    /// Bring the camera nearer, while held.
    Nearer,
    /// Take the camera farther away, while held.
    Farther,
    /// A camera.
    Camera(View),
    /// The next camera.
    NextCamera,
    /// Route mode on or off.
    Route,
    /// Walk the route.
    SetOut,
    /// Take the last waypoint back.
    TakeBack,
    /// The next map over the ground.
    NextMap,
    /// Force arrows, contact and balance on or off.
    Forces,
    /// Wireframe on or off.
    Wireframe,
    /// Pause or go on.
    Pause,
    /// A single step.
    Step,
    /// Slower time; in a replay some seconds back.
    Slower,
    /// Faster time; in a replay some seconds forwards.
    Faster,
    /// The ring of places opens or closes.
    Places,
    /// Undo five seconds.
    Undo,
    /// Undo the last minute.
    UndoMinute,
    /// A twin without balance controller comes or goes.
    Twin,
    /// The panel opens or closes.
    Panel,
    /// Plots on or off.
    Plots,
    /// What a frame costs, on or off.
    Timings,
    /// Sound of footsteps on or off.
    Sound,
    /// Help on or off.
    Help,
    /// A picture of the window.
    Picture,
    /// Run, maps and scene into files.
    Save,
}

/// Which modifier a key needs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Modifier {
    /// None; Ctrl with the key is something else, perhaps the browser's.
    Plain,
    /// None, and none prevents it, unless another control has the same key with that one.
    Any,
    /// Shift.
    Shift,
    /// Ctrl.
    Control,
}

/// One order and what gives it.
#[derive(Clone, Copy, Debug)]
pub struct Control {
    /// The order.
    pub order: Order,
    /// Its keys; any of them.
    pub keys: &'static [Key],
    /// What must be held with the key.
    pub with: Modifier,
    /// Its gamepad button.
    pub pad: Option<Pad>,
    /// Its touch button: what is written on it, and its place in steps from the lower right corner, leftwards and upwards.
    pub touch: Option<(&'static str, [u8; 2])>,
}

impl Control {
    const fn new(order: Order, keys: &'static [Key]) -> Self {
        Self { order, keys, with: Modifier::Any, pad: None, touch: None }
    }

    const fn with(self, with: Modifier) -> Self {
        Self { with, ..self }
    }

    const fn pad(self, pad: Pad) -> Self {
        Self { pad: Some(pad), ..self }
    }

    const fn touch(self, label: &'static str, left: u8, up: u8) -> Self {
        Self { touch: Some((label, [left, up])), ..self }
    }
}

/// A line of the help: controls that belong together, and what they do.
#[derive(Clone, Copy, Debug)]
pub struct Line {
    /// Its controls.
    pub controls: &'static [Control],
    /// What the mouse does, and what sticks and fingers do, where that is not a button.
    pub also: [&'static str; 2],
    /// What all of it is for.
    pub what: &'static str,
}

use Control as C;
use Key::*;

/// Every control, in the order of the help.
#[rustfmt::skip]
pub const LINES: &[Line] = &[
    Line {
        controls: &[
            C::new(Order::Ahead, &[KeyW, ArrowUp]).with(Modifier::Plain), C::new(Order::Left, &[KeyA, ArrowLeft]).with(Modifier::Plain),
            C::new(Order::Back, &[KeyS, ArrowDown]).with(Modifier::Plain), C::new(Order::Right, &[KeyD, ArrowRight]).with(Modifier::Plain),
        ],
        also: ["", "left stick, left half of a touch screen"],
        what: "walk, relative to the camera",
    },
    Line {
        controls: &[C::new(Order::Run, &[ShiftLeft, ShiftRight]).with(Modifier::Plain).pad(Pad::RightTrigger2).touch("run", 1, 0)],
        also: ["", ""],
        what: "run",
    },
    Line {
        controls: &[
            C::new(Order::SideLeft, &[KeyQ]).with(Modifier::Plain).pad(Pad::LeftTrigger),
            C::new(Order::SideRight, &[KeyE]).with(Modifier::Plain).pad(Pad::RightTrigger),
        ],
        also: ["", ""],
        what: "sidestep left, right",
    },
    Line { controls: &[C::new(Order::Jump, &[Space]).pad(Pad::South).touch("jump", 0, 0)], also: ["", ""], what: "jump" },
    Line { controls: &[C::new(Order::Push, &[KeyB])], also: ["", ""], what: "push the walker from its left" },
    Line {
        controls: &[C::new(Order::Nearer, &[]).pad(Pad::DPadUp), C::new(Order::Farther, &[]).pad(Pad::DPadDown)],
        also: ["drag, right drag, wheel", "right stick, right half of a touch screen, pinch"],
        what: "rotate the camera, zoom",
    },
    Line {
        controls: &[
            C::new(Order::Camera(View::Follow), &[Digit1]), C::new(Order::Camera(View::Orbit), &[Digit2]),
            C::new(Order::Camera(View::Print), &[Digit3]), C::new(Order::Camera(View::Top), &[Digit4]),
            C::new(Order::Camera(View::Side), &[Digit5]), C::new(Order::Camera(View::Front), &[Digit6]),
            C::new(Order::NextCamera, &[KeyC]).with(Modifier::Plain).pad(Pad::North).touch("camera", 0, 1),
        ],
        also: ["", ""],
        what: "camera: follow, orbit, print, top, side, front; next",
    },
    Line { controls: &[], also: ["click", "tap on the right half"], what: "walk there; in route mode, or with Ctrl, place a waypoint" },
    Line { controls: &[C::new(Order::Route, &[KeyR])], also: ["", ""], what: "route mode: click places or draw a line" },
    Line { controls: &[C::new(Order::SetOut, &[Enter])], also: ["", ""], what: "walk the route" },
    Line { controls: &[C::new(Order::TakeBack, &[Backspace])], also: ["", ""], what: "remove the last waypoint" },
    Line { controls: &[C::new(Order::NextMap, &[KeyM]).pad(Pad::East).touch("map", 0, 2)], also: ["", ""], what: "next map over the ground" },
    Line { controls: &[C::new(Order::Forces, &[KeyF])], also: ["", ""], what: "force arrows, contact, balance" },
    Line { controls: &[C::new(Order::Wireframe, &[KeyX])], also: ["", ""], what: "wireframe" },
    Line {
        controls: &[C::new(Order::Pause, &[KeyP]).pad(Pad::Start).touch("pause", 0, 3), C::new(Order::Step, &[Period])],
        also: ["", ""],
        what: "pause; single step",
    },
    Line {
        controls: &[C::new(Order::Slower, &[BracketLeft]), C::new(Order::Faster, &[BracketRight])],
        also: ["", ""],
        what: "slower, faster; in a replay five seconds back, forwards",
    },
    Line {
        controls: &[C::new(Order::Undo, &[KeyZ]), C::new(Order::UndoMinute, &[KeyZ]).with(Modifier::Shift)],
        also: ["", ""],
        what: "undo five seconds; the last minute",
    },
    Line { controls: &[C::new(Order::Twin, &[KeyT])], also: ["", ""], what: "a twin without balance controller (red) beside the walker (blue)" },
    Line { controls: &[C::new(Order::Places, &[KeyO])], also: ["", ""], what: "choose a place or a comparison" },
    Line { controls: &[C::new(Order::Panel, &[Tab])], also: ["", ""], what: "panel" },
    Line { controls: &[C::new(Order::Plots, &[KeyG])], also: ["", ""], what: "plots: forces, depth, cover, times" },
    Line { controls: &[C::new(Order::Sound, &[KeyN])], also: ["", ""], what: "sound of footsteps on, off" },
    Line { controls: &[C::new(Order::Timings, &[F3])], also: ["", ""], what: "frame times" },
    Line {
        controls: &[C::new(Order::Picture, &[F12]), C::new(Order::Save, &[KeyS]).with(Modifier::Control)],
        also: ["", ""],
        what: "picture; run, maps and scene into `out/`",
    },
    Line { controls: &[C::new(Order::Help, &[KeyH, F1])], also: ["", ""], what: "this help" },
];

/// All controls.
pub fn all() -> impl Iterator<Item = &'static Control> {
    LINES.iter().flat_map(|line| line.controls)
}

/// Whether a control's modifier allows it, with Shift and Ctrl as they are.
pub fn allowed(control: &Control, shift: bool, ctrl: bool) -> bool {
    let taken =
        |with: Modifier| all().any(|c| c.with == with && c.keys.iter().any(|k| control.keys.contains(k)));
    match control.with {
        Modifier::Plain => !ctrl,
        Modifier::Any => !(shift && taken(Modifier::Shift) || ctrl && taken(Modifier::Control)),
        Modifier::Shift => shift,
        Modifier::Control => ctrl,
    }
}

/// The first key of an order, with its modifier, as in "Ctrl+S"; nothing if it has none.
pub fn key_of(order: Order) -> String {
    all().find(|c| c.order == order).and_then(|c| key_label(c, 0)).unwrap_or_default()
}

fn key_label(control: &Control, i: usize) -> Option<String> {
    let key = control.keys.get(i)?.label();
    Some(match control.with {
        Modifier::Shift => format!("Shift+{key}"),
        Modifier::Control => format!("Ctrl+{key}"),
        Modifier::Plain | Modifier::Any => key.into(),
    })
}

impl Line {
    /// Keys and mouse in words: first keys of all its controls, then second ones.
    pub fn keys(&self) -> String {
        let most = self.controls.iter().map(|c| c.keys.len()).max().unwrap_or(0);
        let mut parts: Vec<String> = Vec::new();
        for i in 0..most {
            let keys: Vec<String> = self.controls.iter().filter_map(|c| key_label(c, i)).collect();
            parts.push(keys.join(" "));
        }
        parts.dedup();
        parts.extend((!self.also[0].is_empty()).then(|| self.also[0].into()));
        parts.join(", ")
    }

    /// Gamepad and touch screen in words.
    pub fn buttons(&self) -> String {
        let mut parts: Vec<&str> = self.controls.iter().filter_map(|c| c.pad.map(Pad::label)).collect();
        parts.extend((!self.also[1].is_empty()).then_some(self.also[1]));
        parts.extend(self.controls.iter().any(|c| c.touch.is_some()).then_some("touch button"));
        parts.join(", ")
    }
}

/// The line that greets a person.
pub fn hint() -> String {
    let [run, jump, places, panel, help] =
        [Order::Run, Order::Jump, Order::Places, Order::Panel, Order::Help].map(key_of);
    let walk = [Order::Ahead, Order::Left, Order::Back, Order::Right].map(key_of).join(" ");
    format!(
        "{walk} to walk yourself, {run} to run, {jump} to jump - drag to look around - {places} for other places, {panel} for the panel, {help} for help"
    )
}

/// The same on a touch screen.
pub const HINT_TOUCH: &str = "Left thumb to walk, right thumb to look around, two fingers to zoom - tap to walk there - ☰ for the panel";

/// The same where no walker can be steered: feet that follow a script, or a replay.
pub fn hint_watch() -> String {
    let [first, last] = [View::Follow, View::Front].map(|view| key_of(Order::Camera(view)));
    let [places, panel, help] = [Order::Places, Order::Panel, Order::Help].map(key_of);
    format!(
        "This goes by itself - drag to look around, {first} to {last} for cameras - {places} for places to walk in, {panel} for the panel, {help} for help"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The table of `docs/play.md`.
    fn table() -> String {
        let mut out = String::from("| keys and mouse | gamepad, touch | what |\n|---|---|---|\n");
        for line in LINES {
            out += &format!("| {} | {} | {} |\n", line.keys(), line.buttons(), line.what);
        }
        out
    }

    #[test]
    fn the_manual_lists_the_controls() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/play.md");
        let text = std::fs::read_to_string(path).expect("the manual");
        let (before, rest) = text.split_once("## Keys\n\n").expect("a section of keys");
        let (_, after) = rest.split_once("\n## ").expect("a section after it");
        let wanted = format!("{before}## Keys\n\n{}\n## {after}", table());
        if std::env::var_os("TRAMPLE_BLESS").is_some() {
            std::fs::write(path, &wanted).expect("written");
            return;
        }
        assert_eq!(text, wanted, "TRAMPLE_BLESS=1 cargo test -p trample-play writes it");
    }

    #[test]
    fn no_key_or_button_gives_two_orders() {
        for (shift, ctrl) in [(false, false), (true, false), (false, true), (true, true)] {
            let on: Vec<&Control> = all().filter(|c| allowed(c, shift, ctrl)).collect();
            for (i, a) in on.iter().enumerate() {
                for b in &on[..i] {
                    assert!(!a.keys.iter().any(|k| b.keys.contains(k)), "{:?} and {:?}", a.order, b.order);
                    assert!(a.pad.is_none() || a.pad != b.pad, "{:?} and {:?}", a.order, b.order);
                    let [p, q] = [a, b].map(|c| c.touch.map(|t| t.1));
                    assert!(p.is_none() || p != q, "{:?} and {:?}", a.order, b.order);
                    assert_ne!(a.order, b.order);
                }
            }
        }
    }

    #[test]
    fn modifiers_part_orders_on_the_same_key() {
        let given = |key: Key, shift: bool, ctrl: bool| -> Vec<Order> {
            all().filter(|c| c.keys.contains(&key) && allowed(c, shift, ctrl)).map(|c| c.order).collect()
        };
        assert_eq!(given(KeyZ, false, false), [Order::Undo]);
        assert_eq!(given(KeyZ, true, false), [Order::UndoMinute]);
        assert_eq!(given(KeyS, false, false), [Order::Back]);
        assert_eq!(given(KeyS, false, true), [Order::Save]);
        assert_eq!(given(KeyC, false, true), [], "copying is not ours");
        assert_eq!(given(KeyM, true, false), [Order::NextMap], "a runner can change the map");
        assert_eq!(key_of(Order::Save), "Ctrl+S");
        assert_eq!(LINES[0].keys(), "W A S D, ↑ ← ↓ →");
        assert_eq!(LINES[1].keys(), "Shift");
    }
}
