import type { ServedSet } from '@replsim/server';
import { Door } from '../door.ts';
import { LiveRoom } from './liveRoom.ts';

/** The page of a served set: its door, and what lies behind it. */
export class LiveStudio {
  readonly #door: Door;
  readonly #room: LiveRoom;
  #closed: Promise<void> | undefined;

  private constructor(door: Door, room: LiveRoom) {
    this.#door = door;
    this.#room = room;
  }

  /**
   * @param served a set in which nothing has happened yet
   * @param page the folder of the built page
   * @throws InputError if the port is not to be had
   */
  static async open(served: ServedSet, page: string, port: number): Promise<LiveStudio> {
    const room = new LiveRoom(served);
    return new LiveStudio(await Door.open({ page, room, port }), room);
  }

  /** For a browser. */
  get address(): string {
    return this.#door.address;
  }

  /** @param text why, for the pages that are open */
  close(text: string): Promise<void> {
    this.#closed ??= this.#room.end(text).then(() => this.#door.close());
    return this.#closed;
  }
}
