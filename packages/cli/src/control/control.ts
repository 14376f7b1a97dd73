import type { ServedSet } from '@replsim/server';
import { InputError } from '../io.ts';
import { Door } from '../studio/door.ts';
import { ControlRoom } from './controlRoom.ts';

/** A token that somebody chooses is as hard to guess as one that is drawn. */
const TOKEN = /^[\w-]{16,128}$/;

/** The HTTP door of a served set: its address, and what lies behind it. */
export class Control {
  readonly #door: Door;
  readonly #room: ControlRoom;
  #closed: Promise<void> | undefined;

  private constructor(door: Door, room: ControlRoom) {
    this.#door = door;
    this.#room = room;
    room.address = door.address;
  }

  /**
   * @param served a set in which nothing has happened yet
   * @param token what its address contains; undefined: it is drawn
   * @throws InputError if the port is not to be had, or the token is short
   */
  static async open(served: ServedSet, port: number, token?: string): Promise<Control> {
    if (token !== undefined && !TOKEN.test(token))
      throw new InputError('REPLSIM_CONTROL_TOKEN must have 16 to 128 letters, digits, dashes and underscores');
    const room = new ControlRoom(served);
    return new Control(await Door.open({ room, port, ...(token !== undefined && { token }) }), room);
  }

  /** For programs; whoever has it may do everything that the table of verbs has. */
  get address(): string {
    return this.#door.address;
  }

  close(): Promise<void> {
    this.#room.end();
    this.#closed ??= this.#door.close();
    return this.#closed;
  }
}
