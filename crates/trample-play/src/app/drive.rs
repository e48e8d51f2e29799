//! A script of input: keys and mouse at given frames, as a person would press them. For tests; time goes by frames then.
//!
//! Each line is a JSON object with a `frame` and one of: `key` (a name of [`Key`]) and `down`, `move` to [x, y] in
//! pixels, `button` (left, right) and `down`, `wheel` lines, `touch` (a finger's number) with `at` [x, y] and `phase` (started,
//! moved, ended), `pad` (a name of Bevy's gamepad axes or buttons) and `value`, `drop` and a file, `picture` and a file, `state` and
//! a file, `exit`.

use super::files::Wanted;
use super::report::Report;
use crate::controls::Key;
use bevy::input::ButtonState;
use bevy::input::gamepad::{
    GamepadAxis, GamepadButton, GamepadConnection, GamepadConnectionEvent, RawGamepadAxisChangedEvent,
    RawGamepadButtonChangedEvent, RawGamepadEvent,
};
use bevy::input::keyboard::{Key as LogicalKey, KeyboardInput, NativeKey};
use bevy::input::mouse::{MouseButtonInput, MouseScrollUnit, MouseWheel};
use bevy::input::touch::{TouchInput, TouchPhase};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy::window::{CursorMoved, PrimaryWindow};
use serde::de::Error;
use serde::{Deserialize, Deserializer};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One line of a script.
#[derive(Clone, Debug, PartialEq, Deserialize)]
struct Line {
    frame: u64,
    #[serde(flatten)]
    event: Event,
}

/// One thing that is done: the first of these whose fields a line has.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(untagged)]
enum Event {
    Key {
        key: Key,
        #[serde(default = "yes")]
        down: bool,
    },
    Move {
        #[serde(rename = "move")]
        to: [f32; 2],
    },
    Button {
        button: Side,
        #[serde(default = "yes")]
        down: bool,
    },
    Wheel {
        wheel: f32,
    },
    Touch {
        touch: u64,
        phase: Phase,
        at: [f32; 2],
    },
    Stick {
        #[serde(rename = "pad", deserialize_with = "axis")]
        stick: GamepadAxis,
        value: f32,
    },
    Pad {
        #[serde(deserialize_with = "button")]
        pad: GamepadButton,
        value: f32,
    },
    Drop {
        drop: PathBuf,
    },
    Picture {
        picture: PathBuf,
    },
    State {
        state: PathBuf,
    },
    Exit {
        #[serde(rename = "exit")]
        _exit: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Side {
    Left,
    Right,
}

#[derive(Clone, Copy, Debug, PartialEq, Deserialize)]
#[serde(rename_all = "lowercase")]
enum Phase {
    Started,
    Moved,
    Ended,
}

const fn yes() -> bool {
    true
}

/// The one of Bevy's axes or buttons whose name is read.
fn by_name<'a, D: Deserializer<'a>, T: std::fmt::Debug>(
    from: D,
    all: impl IntoIterator<Item = T>,
) -> Result<T, D::Error> {
    let name = String::deserialize(from)?;
    let found = all.into_iter().find(|one| format!("{one:?}") == name);
    found.ok_or_else(|| D::Error::custom(format!("a gamepad has no `{name}`")))
}

fn axis<'a, D: Deserializer<'a>>(from: D) -> Result<GamepadAxis, D::Error> {
    by_name(from, GamepadAxis::all())
}

fn button<'a, D: Deserializer<'a>>(from: D) -> Result<GamepadButton, D::Error> {
    by_name(from, GamepadButton::all())
}

/// What is done in which frame.
#[derive(Resource, Clone, Debug, Default)]
pub(super) struct DrivePlugin {
    lines: Vec<Line>,
}

impl DrivePlugin {
    /// Reads a script.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(&text).map_err(|(line, problem)| format!("{}:{line}: {problem}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let lines = text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'));
        let read = |(i, line): (usize, &str)| serde_json::from_str(line).map_err(|e| (i + 1, e.to_string()));
        let mut lines: Vec<Line> = lines.map(read).collect::<Result<_, _>>()?;
        lines.sort_by_key(|line| line.frame);
        Ok(Self { lines })
    }
}

impl Plugin for DrivePlugin {
    fn build(&self, app: &mut App) {
        // Sixty frames are a second, however long they take.
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_nanos(16_666_667)));
        app.insert_resource(self.clone()).init_resource::<Ahead>();
        app.add_systems(First, drive);
    }
}

/// How far the script is.
#[derive(Resource, Default)]
struct Ahead {
    frame: u64,
    next: usize,
    leaving: Option<u64>,
    cursor: Vec2,
    /// The gamepad, plugged in at the beginning if the script uses one.
    pad: Option<Entity>,
}

#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn drive(
    script: Res<DrivePlugin>,
    mut ahead: ResMut<Ahead>,
    mut windows: Query<(Entity, &mut Window), With<PrimaryWindow>>,
    mut keys: MessageWriter<KeyboardInput>,
    mut moves: MessageWriter<CursorMoved>,
    mut buttons: MessageWriter<MouseButtonInput>,
    mut wheels: MessageWriter<MouseWheel>,
    mut touches: MessageWriter<TouchInput>,
    mut connections: MessageWriter<GamepadConnectionEvent>,
    mut pads: MessageWriter<RawGamepadEvent>,
    mut commands: Commands,
    mut wanted: ResMut<Wanted>,
    mut report: ResMut<Report>,
    mut exit: MessageWriter<AppExit>,
) {
    let Some((window, mut surface)) = windows.iter_mut().next() else { return };
    ahead.frame += 1;
    if ahead.frame == 1
        && script.lines.iter().any(|l| matches!(l.event, Event::Stick { .. } | Event::Pad { .. }))
    {
        let gamepad = commands.spawn_empty().id();
        let connection =
            GamepadConnection::Connected { name: "script".into(), vendor_id: None, product_id: None };
        connections.write(GamepadConnectionEvent::new(gamepad, connection));
        ahead.pad = Some(gamepad);
    }
    // A picture is written some frames after it was asked for.
    if ahead.leaving.is_some_and(|frame| ahead.frame > frame + 30) {
        exit.write(AppExit::Success);
    }
    while let Some(Line { frame, event }) = script.lines.get(ahead.next) {
        if *frame > ahead.frame {
            break;
        }
        ahead.next += 1;
        let state = |down: bool| if down { ButtonState::Pressed } else { ButtonState::Released };
        match event {
            Event::Key { key, down } => {
                keys.write(KeyboardInput {
                    key_code: (*key).into(),
                    logical_key: LogicalKey::Unidentified(NativeKey::Unidentified),
                    state: state(*down),
                    text: None,
                    repeat: false,
                    window,
                });
            }
            Event::Move { to } => {
                let at = Vec2::from(*to);
                let delta = at - ahead.cursor;
                ahead.cursor = at;
                let scale = surface.scale_factor();
                surface.set_physical_cursor_position(Some((at * scale).as_dvec2()));
                moves.write(CursorMoved { window, position: at, delta: Some(delta) });
            }
            Event::Button { button, down } => {
                let button = if *button == Side::Left { MouseButton::Left } else { MouseButton::Right };
                buttons.write(MouseButtonInput { button, state: state(*down), window });
            }
            Event::Wheel { wheel } => {
                wheels.write(MouseWheel {
                    unit: MouseScrollUnit::Line,
                    x: 0.0,
                    y: *wheel,
                    window,
                    phase: TouchPhase::Moved,
                });
            }
            Event::Touch { touch, phase, at } => {
                let phase = match phase {
                    Phase::Started => TouchPhase::Started,
                    Phase::Moved => TouchPhase::Moved,
                    Phase::Ended => TouchPhase::Ended,
                };
                let position = Vec2::from(*at);
                touches.write(TouchInput { phase, position, window, force: None, id: *touch });
            }
            Event::Stick { stick, value } => {
                let moved = |pad| RawGamepadAxisChangedEvent::new(pad, *stick, *value);
                pads.write_batch(ahead.pad.map(|pad| RawGamepadEvent::Axis(moved(pad))));
            }
            Event::Pad { pad, value } => {
                let moved = |entity| RawGamepadButtonChangedEvent::new(entity, *pad, *value);
                pads.write_batch(ahead.pad.map(|pad| RawGamepadEvent::Button(moved(pad))));
            }
            Event::Drop { drop } => wanted.open = Some(drop.clone()),
            Event::Picture { picture } => wanted.picture_to = Some(picture.clone()),
            Event::State { state } => report.once = Some(state.clone()),
            Event::Exit { .. } => ahead.leaving = Some(ahead.frame),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_script_is_read_in_the_order_of_its_frames() {
        let script = "# a comment\n{\"frame\": 9, \"exit\": true}\n{\"frame\": 2, \"key\": \"KeyW\"}\n\
                      {\"frame\": 4, \"key\": \"KeyW\", \"down\": false}\n{\"frame\": 3, \"move\": [10, 20.5]}\n";
        let drive = DrivePlugin::parse(script).expect("read");
        let frames: Vec<u64> = drive.lines.iter().map(|l| l.frame).collect();
        assert_eq!(frames, [2, 3, 4, 9]);
        assert_eq!(drive.lines[0].event, Event::Key { key: Key::KeyW, down: true });
        assert_eq!(DrivePlugin::parse("{\"frame\": 1}").expect_err("nothing to do").0, 1);
        assert_eq!(DrivePlugin::parse("\n{\"key\": \"KeyW\"}").expect_err("no frame").0, 2);
        assert!(DrivePlugin::parse("{\"frame\": 1, \"key\": \"Nonsense\"}").is_err());
        let hands = "{\"frame\": 1, \"touch\": 7, \"phase\": \"started\", \"at\": [3, 4]}\n\
                     {\"frame\": 2, \"pad\": \"LeftStickY\", \"value\": 1}\n{\"frame\": 3, \"pad\": \"South\", \"value\": 1}\n";
        let events: Vec<Event> =
            DrivePlugin::parse(hands).expect("read").lines.into_iter().map(|l| l.event).collect();
        let touch = Event::Touch { touch: 7, phase: Phase::Started, at: [3.0, 4.0] };
        let stick = Event::Stick { stick: GamepadAxis::LeftStickY, value: 1.0 };
        assert_eq!(events, [touch, stick, Event::Pad { pad: GamepadButton::South, value: 1.0 }]);
    }
}
