//! A script of input: keys and mouse at given frames, as a person would press them. For tests; time goes by frames then.
//!
//! Each line is a JSON object with a `frame` and one of: `key` and `down` (a name of Bevy's key codes), `move` to [x, y] in
//! pixels, `button` (left, right) and `down`, `wheel` lines, `picture` and a file, `state` and a file, `exit`.

use super::files::Wanted;
use super::report::Report;
use bevy::input::ButtonState;
use bevy::input::keyboard::{Key, KeyboardInput, NativeKey};
use bevy::input::mouse::{MouseButtonInput, MouseScrollUnit, MouseWheel};
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
    mut wanted: ResMut<Wanted>,
    mut report: ResMut<Report>,
    mut exit: MessageWriter<AppExit>,
) {
    let Some((window, mut surface)) = windows.iter_mut().next() else { return };
    ahead.frame += 1;
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
                    phase: bevy::input::touch::TouchPhase::Moved,
                });
            }
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
    }
}
