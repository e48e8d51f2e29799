//! A script of input: keys and mouse at given frames, as a person would press them. For tests; time goes by frames then.
//!
//! Each line is a JSON object with a `frame` and one of: `key` and `down` (a name of Bevy's key codes), `move` to [x, y] in
//! pixels, `button` (left, right) and `down`, `wheel` lines, `touch` (a finger's number) with `at` [x, y] and `phase` (started,
//! moved, ended), `pad` (a name of Bevy's gamepad axes or buttons) and `value`, `drop` and a file, `picture` and a file, `state` and
//! a file, `exit`.

use super::files::Wanted;
use super::report::Report;
use bevy::input::ButtonState;
use bevy::input::gamepad::{
    GamepadAxis, GamepadButton, GamepadConnection, GamepadConnectionEvent, RawGamepadAxisChangedEvent,
    RawGamepadButtonChangedEvent, RawGamepadEvent,
};
use bevy::input::keyboard::{Key, KeyboardInput, NativeKey};
use bevy::input::mouse::{MouseButtonInput, MouseScrollUnit, MouseWheel};
use bevy::input::touch::{TouchInput, TouchPhase};
use bevy::prelude::*;
use bevy::time::TimeUpdateStrategy;
use bevy::window::{CursorMoved, PrimaryWindow};
use serde_json::Value;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// One thing that is done.
#[derive(Clone, Debug, PartialEq)]
enum Event {
    Key(KeyCode, bool),
    Move(Vec2),
    Button(MouseButton, bool),
    Wheel(f32),
    Touch(u64, TouchPhase, Vec2),
    Stick(GamepadAxis, f32),
    Pad(GamepadButton, f32),
    Drop(PathBuf),
    Picture(PathBuf),
    State(PathBuf),
    Exit,
}

/// What is done in which frame.
#[derive(Resource, Clone, Debug, Default)]
pub(super) struct DrivePlugin {
    events: Vec<(u64, Event)>,
}

impl DrivePlugin {
    /// Reads a script.
    pub(super) fn read(path: &Path) -> Result<Self, String> {
        let text = std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()))?;
        Self::parse(&text).map_err(|(line, problem)| format!("{}:{line}: {problem}", path.display()))
    }

    fn parse(text: &str) -> Result<Self, (usize, String)> {
        let mut events = Vec::new();
        for (i, line) in text.lines().enumerate().filter(|(_, l)| !l.trim().is_empty() && !l.starts_with('#'))
        {
            let value: Value = serde_json::from_str(line).map_err(|e| (i + 1, e.to_string()))?;
            let frame =
                value.get("frame").and_then(Value::as_u64).ok_or((i + 1, "no `frame`".to_string()))?;
            let event = event(&value).ok_or((i + 1, "nothing that can be done".to_string()))?;
            events.push((frame, event));
        }
        events.sort_by_key(|(frame, _)| *frame);
        Ok(Self { events })
    }
}

fn event(value: &Value) -> Option<Event> {
    let text = |key: &str| value.get(key).and_then(Value::as_str);
    let down = value.get("down").and_then(Value::as_bool).unwrap_or(true);
    if let Some(name) = text("key") {
        return Some(Event::Key(key_code(name)?, down));
    }
    if let Some(at) = value.get("move") {
        return Some(Event::Move(Vec2::new(at.get(0)?.as_f64()? as f32, at.get(1)?.as_f64()? as f32)));
    }
    if let Some(name) = text("button") {
        let button = if name == "right" { MouseButton::Right } else { MouseButton::Left };
        return Some(Event::Button(button, down));
    }
    if let Some(lines) = value.get("wheel").and_then(Value::as_f64) {
        return Some(Event::Wheel(lines as f32));
    }
    if let Some(finger) = value.get("touch").and_then(Value::as_u64) {
        let at = value.get("at")?;
        let phase = match text("phase")? {
            "started" => TouchPhase::Started,
            "moved" => TouchPhase::Moved,
            "ended" => TouchPhase::Ended,
            _ => return None,
        };
        return Some(Event::Touch(
            finger,
            phase,
            Vec2::new(at.get(0)?.as_f64()? as f32, at.get(1)?.as_f64()? as f32),
        ));
    }
    if let Some(name) = text("pad") {
        let value = value.get("value")?.as_f64()? as f32;
        return match GamepadAxis::all().into_iter().find(|a| format!("{a:?}") == name) {
            Some(axis) => Some(Event::Stick(axis, value)),
            None => {
                let button = GamepadButton::all().into_iter().find(|b| format!("{b:?}") == name)?;
                Some(Event::Pad(button, value))
            }
        };
    }
    if let Some(path) = text("drop") {
        return Some(Event::Drop(path.into()));
    }
    if let Some(path) = text("picture") {
        return Some(Event::Picture(path.into()));
    }
    if let Some(path) = text("state") {
        return Some(Event::State(path.into()));
    }
    value.get("exit").map(|_| Event::Exit)
}

/// The key codes that scripts use, by their names.
fn key_code(name: &str) -> Option<KeyCode> {
    use KeyCode::*;
    let all = [
        KeyW,
        KeyA,
        KeyS,
        KeyD,
        KeyQ,
        KeyE,
        KeyR,
        KeyT,
        KeyM,
        KeyF,
        KeyX,
        KeyP,
        KeyZ,
        KeyH,
        KeyG,
        KeyC,
        Space,
        ShiftLeft,
        ControlLeft,
        Enter,
        Backspace,
        Tab,
        Period,
        BracketLeft,
        BracketRight,
        Digit1,
        Digit2,
        Digit3,
        Digit4,
        Digit5,
        ArrowUp,
        ArrowDown,
        ArrowLeft,
        ArrowRight,
        F12,
        Escape,
    ];
    all.into_iter().find(|code| format!("{code:?}") == name)
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
    if ahead.frame == 1 && script.events.iter().any(|(_, e)| matches!(e, Event::Stick(..) | Event::Pad(..))) {
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
    while let Some((frame, event)) = script.events.get(ahead.next) {
        if *frame > ahead.frame {
            break;
        }
        ahead.next += 1;
        let state = |down: bool| if down { ButtonState::Pressed } else { ButtonState::Released };
        match event {
            Event::Key(code, down) => {
                keys.write(KeyboardInput {
                    key_code: *code,
                    logical_key: Key::Unidentified(NativeKey::Unidentified),
                    state: state(*down),
                    text: None,
                    repeat: false,
                    window,
                });
            }
            Event::Move(at) => {
                let delta = *at - ahead.cursor;
                ahead.cursor = *at;
                let scale = surface.scale_factor();
                surface.set_physical_cursor_position(Some((*at * scale).as_dvec2()));
                moves.write(CursorMoved { window, position: *at, delta: Some(delta) });
            }
            Event::Button(button, down) => {
                buttons.write(MouseButtonInput { button: *button, state: state(*down), window });
            }
            Event::Wheel(lines) => {
                wheels.write(MouseWheel {
                    unit: MouseScrollUnit::Line,
                    x: 0.0,
                    y: *lines,
                    window,
                    phase: TouchPhase::Moved,
                });
            }
            Event::Touch(id, phase, position) => {
                touches.write(TouchInput {
                    phase: *phase,
                    position: *position,
                    window,
                    force: None,
                    id: *id,
                });
            }
            Event::Stick(axis, value) => {
                let moved = |pad| RawGamepadAxisChangedEvent::new(pad, *axis, *value);
                pads.write_batch(ahead.pad.map(|pad| RawGamepadEvent::Axis(moved(pad))));
            }
            Event::Pad(button, value) => {
                let moved = |pad| RawGamepadButtonChangedEvent::new(pad, *button, *value);
                pads.write_batch(ahead.pad.map(|pad| RawGamepadEvent::Button(moved(pad))));
            }
            Event::Drop(path) => wanted.open = Some(path.clone()),
            Event::Picture(path) => wanted.picture_to = Some(path.clone()),
            Event::State(path) => report.once = Some(path.clone()),
            Event::Exit => ahead.leaving = Some(ahead.frame),
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
        let frames: Vec<u64> = drive.events.iter().map(|e| e.0).collect();
        assert_eq!(frames, [2, 3, 4, 9]);
        assert_eq!(drive.events[0].1, Event::Key(KeyCode::KeyW, true));
        assert_eq!(DrivePlugin::parse("{\"frame\": 1}").expect_err("nothing to do").0, 1);
        assert_eq!(DrivePlugin::parse("\n{\"key\": \"KeyW\"}").expect_err("no frame").0, 2);
        assert!(DrivePlugin::parse("{\"frame\": 1, \"key\": \"Nonsense\"}").is_err());
        let hands = "{\"frame\": 1, \"touch\": 7, \"phase\": \"started\", \"at\": [3, 4]}\n\
                     {\"frame\": 2, \"pad\": \"LeftStickY\", \"value\": 1}\n{\"frame\": 3, \"pad\": \"South\", \"value\": 1}\n";
        let events: Vec<Event> =
            DrivePlugin::parse(hands).expect("read").events.into_iter().map(|e| e.1).collect();
        let touch = Event::Touch(7, TouchPhase::Started, Vec2::new(3.0, 4.0));
        assert_eq!(
            events,
            [touch, Event::Stick(GamepadAxis::LeftStickY, 1.0), Event::Pad(GamepadButton::South, 1.0)]
        );
    }
}
