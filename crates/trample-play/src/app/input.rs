//! Keys, mouse, fingers and sticks: what they want, and which orders they give.

use super::{Play, cameras};
use crate::action::{Action, BESIDE, twin_of};
use crate::camera::{Turn, View};
use crate::keys::Held;
use crate::options::paced;
use bevy::input::gamepad::{Gamepad, GamepadButton};
use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::input::touch::Touches;
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_trample::Trample;

/// Turn of the camera for a pixel of the mouse, rad.
const PER_PIXEL: f32 = 0.006;
/// Turn of the camera by a stick held over, rad/s.
const PER_STICK: f32 = 2.2;
/// A press that moves less than this is a click, pixels.
const CLICK: f32 = 5.0;
/// Radius of the stick under a thumb, pixels.
const THUMB: f32 = 60.0;

pub(super) struct InputPlugin;

impl Plugin for InputPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Pressed>();
        // Fixed updates come before this in a frame: what is held stays until it is read anew.
        app.add_systems(Update, (clear, walk, orders, point, fingers).chain().in_set(Reading));
    }
}

/// When input is read; the camera goes on after it.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Reading;

/// Where the mouse was pressed, and how far it has moved since.
#[derive(Resource, Default)]
struct Pressed {
    at: Option<Vec2>,
    last: Vec2,
    way: f32,
    drawing: bool,
}

fn clear(mut play: ResMut<Play>) {
    play.held = Held::default();
    play.turn = Turn::default();
}

fn walk(
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    egui: Res<EguiWantsInput>,
    time: Res<Time>,
    mut play: ResMut<Play>,
) {
    let mut held = play.held;
    if !egui.wants_keyboard_input() && !keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]) {
        let axis = |plus: [KeyCode; 2], minus: [KeyCode; 2]| {
            f32::from(u8::from(keys.any_pressed(plus))) - f32::from(u8::from(keys.any_pressed(minus)))
        };
        held.ahead += axis([KeyCode::KeyW, KeyCode::ArrowUp], [KeyCode::KeyS, KeyCode::ArrowDown]);
        held.right += axis([KeyCode::KeyD, KeyCode::ArrowRight], [KeyCode::KeyA, KeyCode::ArrowLeft]);
        held.side += axis([KeyCode::KeyE; 2], [KeyCode::KeyQ; 2]);
        held.run |= keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    }
    let mut turn = play.turn;
    for pad in &pads {
        let (left, right) = (pad.left_stick(), pad.right_stick());
        let soft = |x: f32| if x.abs() < 0.12 { 0.0 } else { x };
        held.ahead += soft(left.y);
        held.right += soft(left.x);
        held.side += f32::from(u8::from(pad.pressed(GamepadButton::RightTrigger)))
            - f32::from(u8::from(pad.pressed(GamepadButton::LeftTrigger)));
        held.run |= pad.pressed(GamepadButton::RightTrigger2);
        turn.yaw += soft(right.x) * PER_STICK * time.delta_secs();
        turn.pitch += soft(right.y) * PER_STICK * time.delta_secs();
        turn.zoom += (f32::from(u8::from(pad.pressed(GamepadButton::DPadDown)))
            - f32::from(u8::from(pad.pressed(GamepadButton::DPadUp))))
            * time.delta_secs();
    }
    held.ahead = held.ahead.clamp(-1.0, 1.0);
    held.right = held.right.clamp(-1.0, 1.0);
    (play.held, play.turn) = (held, turn);
}

fn orders(
    keys: Res<ButtonInput<KeyCode>>,
    pads: Query<&Gamepad>,
    egui: Res<EguiWantsInput>,
    mut trample: ResMut<Trample>,
    mut play: ResMut<Play>,
    mut wanted: ResMut<super::files::Wanted>,
) {
    let play = &mut *play;
    let pad = |button: GamepadButton| pads.iter().any(|p| p.just_pressed(button));
    let typing = egui.wants_keyboard_input();
    let key = |code: KeyCode| !typing && keys.just_pressed(code);
    let shift = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    let control = keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    let walker = play.session.focus.walker;
    if key(KeyCode::Space) || pad(GamepadButton::South) {
        play.act(&mut trample, Action::Jump(walker));
        if let Some(twin) = twin_of(trample.world().scene(), walker) {
            play.act(&mut trample, Action::Jump(twin));
        }
        play.hint = false;
    }
    let digits = [KeyCode::Digit1, KeyCode::Digit2, KeyCode::Digit3, KeyCode::Digit4, KeyCode::Digit5];
    for (code, view) in digits.into_iter().zip(View::ALL) {
        if key(code) {
            play.rig.choose(view);
        }
    }
    if (key(KeyCode::KeyC) && !control) || pad(GamepadButton::North) {
        let next = play.rig.view.next();
        play.rig.choose(next);
    }
    if key(KeyCode::KeyM) || pad(GamepadButton::East) {
        play.overlays.next_map();
    }
    if key(KeyCode::KeyF) {
        let on = !play.overlays.forces;
        (play.overlays.forces, play.overlays.contact, play.overlays.balance) = (on, on, on);
    }
    if key(KeyCode::KeyX) {
        play.overlays.wireframe = !play.overlays.wireframe;
    }
    if key(KeyCode::KeyP) || pad(GamepadButton::Start) {
        trample.paused = !trample.paused;
    }
    if key(KeyCode::Period) {
        trample.paused = true;
        trample.single_step();
    }
    if key(KeyCode::BracketLeft) || key(KeyCode::BracketRight) {
        trample.time_scale = paced(trample.time_scale, key(KeyCode::BracketRight));
    }
    if key(KeyCode::KeyZ) {
        undo(play, &mut trample, if shift { 60.0 } else { 5.0 });
    }
    if key(KeyCode::KeyT) {
        twin(play, &mut trample);
    }
    if key(KeyCode::KeyR) {
        play.routing = !play.routing;
        play.say(if play.routing {
            "route: click places or draw a line, Enter to walk it"
        } else {
            "route mode is off"
        });
    }
    if key(KeyCode::Enter) {
        set_out(play, &mut trample);
    }
    if key(KeyCode::Backspace) {
        play.waypoints.take_back();
    }
    if keys.just_pressed(KeyCode::Tab) {
        play.panel = !play.panel;
    }
    if key(KeyCode::KeyG) {
        play.plots = !play.plots;
    }
    if key(KeyCode::KeyH) || key(KeyCode::F1) {
        play.help = !play.help;
    }
    wanted.picture |= key(KeyCode::F12);
    wanted.save |= control && key(KeyCode::KeyS);
}

/// Goes back in time.
pub(super) fn undo(play: &mut Play, trample: &mut Trample, seconds: f64) {
    match play.session.undo(trample.world_mut(), seconds) {
        Ok(went) => {
            trample.refresh();
            play.told = None;
            play.say(format!("{went:.1} s undone"));
        }
        Err(problem) => play.say(problem),
    }
}

/// A twin without balance beside the walker, or none.
pub(super) fn twin(play: &mut Play, trample: &mut Trample) {
    let walker = play.session.focus.walker;
    let world = trample.world();
    let place = match (twin_of(world.scene(), walker), world.walker(walker)) {
        (None, Some((state, _))) => {
            let right = state.heading + std::f64::consts::FRAC_PI_2;
            let size = world.scene().terrain.size;
            let to = |side: f64| {
                [
                    state.root.x + libm::cos(right) * BESIDE * side,
                    state.root.y + libm::sin(right) * BESIDE * side,
                ]
            };
            let fits = |at: &[f64; 2]| (0..2).all(|k| (0.3..size[k] - 0.3).contains(&at[k]));
            [to(1.0), to(-1.0)].into_iter().find(fits).map(|at| (at, state.heading))
        }
        _ => None,
    };
    play.act(trample, Action::Twin(walker, place));
    play.told = None;
}

/// Sends the walker along the route.
pub(super) fn set_out(play: &mut Play, trample: &mut Trample) {
    let walker = play.session.focus.walker;
    let Some((state, _)) = trample.world().walker(walker) else {
        play.say("nobody here can follow a route");
        return;
    };
    let Some(route) = play.waypoints.route([state.root.x, state.root.y]) else {
        play.say("a route needs a place at least half a metre away");
        return;
    };
    play.act(trample, Action::Route(walker, route));
    play.waypoints.places.clear();
    play.told = None;
    play.routing = false;
    play.hint = false;
}

/// The mouse: turning, zooming, placing.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn point(
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    scroll: Res<AccumulatedMouseScroll>,
    egui: Res<EguiWantsInput>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform), With<Camera3d>>,
    mut pressed: ResMut<Pressed>,
    mut trample: ResMut<Trample>,
    mut play: ResMut<Play>,
) {
    let play = &mut *play;
    let over = egui.wants_pointer_input() || egui.is_pointer_over_area();
    if !over {
        let lines = if scroll.unit == MouseScrollUnit::Line { scroll.delta.y } else { scroll.delta.y / 40.0 };
        play.turn.zoom -= 0.12 * lines;
    }
    let Some(window) = windows.iter().next() else { return };
    let Some(cursor) = window.cursor_position() else { return };
    let placing = play.routing || keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    let under = |trample: &Trample| {
        let (camera, place) = cameras.iter().next()?;
        cameras::meet(trample.world(), camera.viewport_to_world(place, cursor).ok()?)
    };
    if buttons.any_just_pressed([MouseButton::Left, MouseButton::Right]) && !over {
        *pressed = Pressed { at: Some(cursor), last: cursor, way: 0.0, drawing: false };
    }
    if pressed.at.is_none() {
        return;
    }
    let moved = cursor - pressed.last;
    pressed.last = cursor;
    pressed.way += moved.length();
    let left = buttons.pressed(MouseButton::Left);
    if left && placing && pressed.way > CLICK {
        pressed.drawing = true;
        if let Some(at) = under(&trample) {
            play.waypoints.draw(at, trample.world().scene().terrain.size);
        }
    } else if left || buttons.pressed(MouseButton::Right) {
        play.turn.yaw += moved.x * PER_PIXEL;
        play.turn.pitch += moved.y * PER_PIXEL;
    } else {
        // Let go without having moved: a click.
        if pressed.way <= CLICK
            && buttons.just_released(MouseButton::Left)
            && let Some(at) = under(&trample)
        {
            if !placing {
                play.waypoints.places.clear();
            }
            play.waypoints.click(at, trample.world().scene().terrain.size);
            if !placing {
                set_out(play, &mut trample);
            }
        }
        pressed.at = None;
    }
}

/// Fingers: the left half of the screen is a stick, the right half turns the camera, two fingers zoom.
fn fingers(
    touches: Res<Touches>,
    egui: Res<EguiWantsInput>,
    windows: Query<&Window, With<PrimaryWindow>>,
    mut play: ResMut<Play>,
    mut apart: Local<Option<f32>>,
) {
    let Some(window) = windows.iter().next() else { return };
    if egui.is_using_pointer() || egui.is_pointer_over_area() {
        return;
    }
    let all: Vec<_> = touches.iter().collect();
    let half = 0.5 * window.width();
    let right: Vec<_> = all.iter().filter(|t| t.start_position().x >= half).collect();
    if let [one, two] = right.as_slice() {
        let distance = (one.position() - two.position()).length().max(1.0);
        if let Some(before) = *apart {
            play.turn.zoom += libm::logf(before / distance);
        }
        *apart = Some(distance);
        return;
    }
    *apart = None;
    for touch in all {
        if touch.start_position().x < half {
            let push = (touch.position() - touch.start_position()) / THUMB;
            play.held.right = push.x.clamp(-1.0, 1.0);
            play.held.ahead = (-push.y).clamp(-1.0, 1.0);
            play.held.run |= push.length() > 1.6;
        } else {
            play.turn.yaw += touch.delta().x * PER_PIXEL;
            play.turn.pitch += touch.delta().y * PER_PIXEL;
        }
    }
}
