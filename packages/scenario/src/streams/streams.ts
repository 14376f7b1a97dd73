import { ErrorCodes } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { matcher, showAll, showTemplate } from '../answers.ts';
import type { Fillings } from '../fillings.ts';
import type { Members } from '../members.ts';
import type { StreamPart, WatchAction } from '../scenario.ts';
import { showDocument } from '../show.ts';
import { Stream } from './stream.ts';

/** How wide an event may be in a complaint. */
const WIDTH = 200;

/** The change streams of a run. */
export class Streams {
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #fillings: Fillings;
  readonly #streams = new Map<string, Stream>();

  constructor(set: ReplicaSetApi, members: Members, fillings: Fillings) {
    this.#set = set;
    this.#members = members;
    this.#fillings = fillings;
  }

  open(action: WatchAction): void {
    this.#streams.set(action.name, new Stream(action, this.#set, this.#members, this.#fillings));
  }

  /** @returns whether there is one of that name */
  stop(name: string): boolean {
    const stream = this.#streams.get(name);
    stream?.stop();
    return stream !== undefined;
  }

  /** Why a check of a stream does not hold, if it does not. */
  refusal({ name, events: wanted, error }: StreamPart): { readonly asked: string; readonly got: string } | undefined {
    const stream = this.#streams.get(name);
    if (!stream) return { asked: `a stream called ${name}`, got: 'it was not opened' };
    const { events, end } = stream;
    const got = `${events.length} ${events.length === 1 ? 'event' : 'events'}: ${showAll(events.map((event) => showDocument(event, WIDTH)))}${end ? `; ended: ${end.text}` : ''}`;
    if (error && (!end || (error.code === undefined ? end.code === ErrorCodes.OK : end.code !== error.code))) {
      return { asked: `${name} ends with ${error.text}`, got };
    }
    // Whoever does not speak of an error does not expect one.
    if (!error && end && end.code !== ErrorCodes.OK) return { asked: `${name} goes on`, got };
    if (!wanted) return undefined;
    const filling = this.#fillings.for(undefined);
    const wrong = wanted.findIndex((filter, i) => !events[i] || !matcher(filter, filling)(events[i]));
    if (wrong < 0 && events.length === wanted.length) return undefined;
    const missed = wanted[wrong];
    const asked = missed
      ? `event ${wrong + 1} of ${wanted.length} like ${showTemplate(missed, filling)}`
      : `${wanted.length} events`;
    return { asked: `${name}: ${asked}`, got };
  }
}
