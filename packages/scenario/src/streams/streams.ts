import { codeNameOf, ErrorCodes, required } from '@replsim/protocol';
import type { ReplicaSetApi } from '@replsim/replset';
import { showDocument } from '../file/show.ts';
import type { Step, StreamPart, WatchAction } from '../scenario.ts';
import { matcher, showAll, showTemplate } from '../stage/answers.ts';
import type { Fillings } from '../stage/fillings.ts';
import type { LateFailure } from '../stage/lateFailure.ts';
import type { Members } from '../stage/members.ts';
import { StepFailure } from '../stage/stepFailure.ts';
import { Stream } from './stream.ts';

/** How wide an event may be in a complaint. */
const WIDTH = 200;

/** The change streams of a run. */
export class Streams {
  readonly #set: ReplicaSetApi;
  readonly #members: Members;
  readonly #fillings: Fillings;
  readonly #streams = new Map<string, Stream>();
  readonly #opened = new Map<string, Step>();
  readonly #awaited: ReadonlySet<string>;
  /** Those whose error a check has found as it says. */
  readonly #expected = new Set<string>();

  /** @param awaited those of which some check of the scenario says that they end with an error */
  constructor(set: ReplicaSetApi, members: Members, fillings: Fillings, awaited: ReadonlySet<string>) {
    this.#set = set;
    this.#members = members;
    this.#fillings = fillings;
    this.#awaited = awaited;
  }

  open(step: Step, action: WatchAction): void {
    this.#opened.set(action.name, step);
    this.#streams.set(action.name, new Stream(action, this.#set, this.#members, this.#fillings));
  }

  /** @returns whether there is one of that name */
  stop(name: string): boolean {
    const stream = this.#streams.get(name);
    stream?.stop();
    return stream !== undefined;
  }

  /**
   * The first that has ended with an error which no check expects.
   * @param isOver all checks have been made; before that one that may still speak of the error is waited for
   */
  unexpected(isOver: boolean): LateFailure | undefined {
    for (const [name, { end }] of this.#streams) {
      if (!end || end.code === ErrorCodes.OK || this.#expected.has(name)) continue;
      if (!isOver && this.#awaited.has(name)) continue;
      this.#set.record({ type: 'checked', text: `stream ${name} goes on`, held: false, detail: `ended: ${end.text}` });
      const check = `"- eventually: { within: 10s, stream: ${name}, error: ${codeNameOf(end.code)} }"`;
      const failure = new StepFailure(`${name} goes on`, `ended: ${end.text}`, {
        advice: `if this is intended: ${check}`,
      });
      return { step: required(this.#opened.get(name), 'step that opened the stream'), failure };
    }
    return undefined;
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
    if (error) this.#expected.add(name);
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
