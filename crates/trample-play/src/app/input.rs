//! Keys, mouse, fingers and sticks: what they want, and which orders they give.

use super::{Play, cameras};
use crate::action::{Action, BESIDE, twin_of};
use crate::camera::{Turn, View};
use crate::keys::Held;
use crate::options::paced;
use crate::thumbs::{self, Button};
use bevy::input::gamepad::{Gamepad, GamepadButton};
use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::input::touch::{Touch, Touches};
use bevy::prelude::*;
use bevy::window::PrimaryWindow;
use bevy_egui::input::EguiWantsInput;
use bevy_trample::Trample;

/// Turn of the camera for a pixel of the mouse, rad.
const PER_PIXEL: f32 = 0.006;
/// Turn of the camera by a stick held over, rad/s.
const PER_STICK: f32 = 2.2;
/// How far from its walker a twin is where there is little room, m.
const NARROW: f64 = 0.65;
/// A press that moves less than this is a click, pixels.
const CLICK: f32 = 5.0;

pub(super) struct InputPlugin {
    /// Whether there is a touch screen for sure.
    pub(super) touch: bool,
}

impl Plugin for InputPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<Pressed>().insert_resource(Thumbs { seen: self.touch, ..default() });
        // Fixed updates come before this in a frame: what is held stays until it is read anew.
        app.add_systems(Update, (clear, walk, fingers, orders, point).chain().in_set(Reading));
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

/// What fingers do on a touch screen.
#[derive(Resource, Default)]
pub(super) struct Thumbs {
    /// Whether this is a touch screen: a finger has been seen.
    pub(super) seen: bool,
    /// The stick: where the thumb began and where it is, logical pixels.
    pub(super) stick: Option<[Vec2; 2]>,
    /// Buttons that are held.
    pub(super) held: Vec<Button>,
    /// Buttons that were pressed in this frame.
    pressed: Vec<Button>,
    /// Where a finger tapped in this frame.
    tap: Option<Vec2>,
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
    thumbs: Res<Thumbs>,
    egui: Res<EguiWantsInput>,
    mut trample: ResMut<Trample>,
    mut play: ResMut<Play>,
    mut wanted: ResMut<super::files::Wanted>,
) {
    let play = &mut *play;
    let thumb = |button: Button| thumbs.pressed.contains(&button);
    let pad = |button: GamepadButton| pads.iter().any(|p| p.just_pressed(button));
    let typing = egui.wants_keyboard_input();
    let key = |code: KeyCode| !typing && keys.just_pressed(code);
    let shift = keys.any_pressed([KeyCode::ShiftLeft, KeyCode::ShiftRight]);
    let control = keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    let walker = play.session.focus.walker;
    if key(KeyCode::Space) || pad(GamepadButton::South) || thumb(Button::Jump) {
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
    if (key(KeyCode::KeyC) && !control) || pad(GamepadButton::North) || thumb(Button::Camera) {
        let next = play.rig.view.next();
        play.rig.choose(next);
    }
    if key(KeyCode::KeyM) || pad(GamepadButton::East) || thumb(Button::Map) {
        play.overlays.next_map();
    }
    if key(KeyCode::KeyF) {
        let on = !play.overlays.forces;
        (play.overlays.forces, play.overlays.contact, play.overlays.balance) = (on, on, on);
    }
    if key(KeyCode::KeyX) {
        play.overlays.wireframe = !play.overlays.wireframe;
    }
    if key(KeyCode::KeyP) || pad(GamepadButton::Start) || thumb(Button::Pause) {
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
    let Some((state, _)) = world.walker(walker) else {
        play.say("only a walker has a twin");
        return;
    };
    let place = if twin_of(world.scene(), walker).is_none() {
        let right = state.heading + std::f64::consts::FRAC_PI_2;
        let size = world.scene().terrain.size;
        let to = |side: f64| [state.root.x + libm::cos(right) * side, state.root.y + libm::sin(right) * side];
        let fits = |at: &[f64; 2]| (0..2).all(|k| (0.25..size[k] - 0.25).contains(&at[k]));
        let beside = [BESIDE, -BESIDE, NARROW, -NARROW].map(to).into_iter().find(fits);
        if beside.is_none() {
            play.say("there is no room for a twin beside the walker");
            return;
        }
        beside.map(|at| (at, state.heading))
    } else {
        None
    };
    play.act(trample, Action::Twin(walker, place));
    play.told = None;
}

/// Sends the walker along the route.
pub(super) fn set_out(play: &mut Play, trample: &mut Trample) {
    let walker = play.session.focus.walker;
    let Some((state, _)) = trample.world().walker(walker) else {
        play.say("nobody here can follow a route");
        play.waypoints.places.clear();
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

/// Where a place of the window meets the ground, x and z, m.
fn under(
    cameras: &Query<(&Camera, &GlobalTransform), With<Camera3d>>,
    trample: &Trample,
    window: &Window,
    at: Vec2,
) -> Option<[f64; 2]> {
    let (camera, place) = cameras.iter().next()?;
    // The picture has a resolution of its own.
    let at = at * camera.logical_viewport_size()? / window.size().max(Vec2::ONE);
    cameras::meet(trample.world(), camera.viewport_to_world(place, at).ok()?)
}

/// A place on the ground was clicked or tapped: it joins the route, or the walker sets out for it.
fn click(play: &mut Play, trample: &mut Trample, at: [f64; 2], placing: bool) {
    if !placing {
        play.waypoints.places.clear();
    }
    play.waypoints.click(at, trample.world().scene().terrain.size);
    if !placing {
        set_out(play, trample);
    }
}

/// The mouse and tapping fingers: turning, zooming, placing.
#[expect(clippy::too_many_arguments, reason = "a system takes what it needs")]
fn point(
    buttons: Res<ButtonInput<MouseButton>>,
    keys: Res<ButtonInput<KeyCode>>,
    scroll: Res<AccumulatedMouseScroll>,
    egui: Res<EguiWantsInput>,
    thumbs: Res<Thumbs>,
    windows: Query<&Window, With<PrimaryWindow>>,
    cameras: Query<(&Camera, &GlobalTransform), With<Camera3d>>,
    mut pressed: ResMut<Pressed>,
    mut trample: ResMut<Trample>,
    mut play: ResMut<Play>,
) {
    let play = &mut *play;
    let over = egui.wants_pointer_input() || egui.is_pointer_over_area();
    let placing = play.routing || keys.any_pressed([KeyCode::ControlLeft, KeyCode::ControlRight]);
    if !over {
        let lines = if scroll.unit == MouseScrollUnit::Line { scroll.delta.y } else { scroll.delta.y / 40.0 };
        play.turn.zoom -= 0.12 * lines;
    }
    let Some(window) = windows.iter().next() else { return };
    let tap = thumbs.tap.filter(|_| !over);
    if let Some(at) = tap.and_then(|at| under(&cameras, &trample, window, at)) {
        click(play, &mut trample, at, placing);
    }
    let Some(cursor) = window.cursor_position() else { return };
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
        if let Some(at) = under(&cameras, &trample, window, cursor) {
            play.waypoints.draw(at, trample.world().scene().terrain.size);
        }
    } else if left || buttons.pressed(MouseButton::Right) {
        play.turn.yaw += moved.x * PER_PIXEL;
        play.turn.pitch += moved.y * PER_PIXEL;
    } else {
        // Let go without having moved: a click.
        if pressed.way <= CLICK && buttons.just_released(MouseButton::Left) {
            match under(&cameras, &trample, window, cursor) {
                Some(at) => click(play, &mut trample, at, placing),
                None => {
                    play.say("that is outside the ground: only what lies within its edge can be walked on");
                }
            }
        }
        pressed.at = None;
    }
}

/// Fingers: the left half of the screen is a stick, the right half turns the camera, two fingers there zoom, a tap there is a click;
/// and there are buttons for the right thumb while the panel is closed.
fn fingers(
    touches: Res<Touches>,
    egui: Res<EguiWantsInput>,
    windows: Query<&Window, With<PrimaryWindow>>,
    mut thumbs: ResMut<Thumbs>,
    mut play: ResMut<Play>,
    mut apart: Local<Option<f32>>,
) {
    let Some(window) = windows.iter().next() else { return };
    let size = [window.width(), window.height()];
    let half = 0.5 * size[0];
    *thumbs = Thumbs { seen: thumbs.seen || touches.any_just_pressed(), ..default() };
    let buttons = !play.panel;
    let button = |at: Vec2| if buttons { thumbs::hit(at.to_array(), size) } else { None };
    for touch in touches.iter_just_pressed() {
        thumbs.pressed.extend(button(touch.position()));
    }
    thumbs.held = touches.iter().filter_map(|t| button(t.start_position())).collect();
    if egui.is_using_pointer() || egui.is_pointer_over_area() {
        return;
    }
    let free = |at: Vec2| button(at).is_none();
    thumbs.tap = touches
        .iter_just_released()
        .filter(|t| t.start_position().x >= half && free(t.start_position()))
        .find(|t| t.distance().length() < thumbs::TAP && apart.is_none())
        .map(Touch::start_position);
    let right: Vec<_> =
        touches.iter().filter(|t| t.start_position().x >= half && free(t.start_position())).collect();
    if let [one, two] = right.as_slice() {
        let distance = (one.position() - two.position()).length().max(1.0);
        if let Some(before) = *apart {
            play.turn.zoom += libm::logf(before / distance);
        }
        *apart = Some(distance);
    } else if let [one] = right.as_slice() {
        play.turn.yaw += one.delta().x * PER_PIXEL;
        play.turn.pitch += one.delta().y * PER_PIXEL;
    } else {
        *apart = None;
    }
    if let Some(touch) = touches.iter().find(|t| t.start_position().x < half) {
        let (right, ahead, run) =
            thumbs::stick(touch.start_position().to_array(), touch.position().to_array());
        (play.held.right, play.held.ahead) = (right, ahead);
        play.held.run |= run;
        thumbs.stick = Some([touch.start_position(), touch.position()]);
    }
    play.held.run |= thumbs.held.contains(&Button::Run);
}
