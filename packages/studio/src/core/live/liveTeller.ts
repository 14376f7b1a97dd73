import type { TraceEvent } from '@replsim/protocol';
import { packedOf, TraceUnpacker } from '@replsim/scenario';
import type { CauseLink } from '@replsim/why';
import { answersOf } from '../run/answers.ts';
import type { Question, StoryLine } from '../run/player.ts';
import { StoryTeller } from '../run/storyTeller.ts';

/** What a worker answers to a live set's page. */
export interface TellerApi {
  /** The trace begins, for the first time or anew. */
  beginLive(): void;
  /** @param text a part of it, packed @returns what the story says of it */
  tellLive(text: string): readonly StoryLine[];
  whyLive(question: Question): readonly CauseLink[];
}

/** Tells the story of a live set from its trace as it grows, and knows reasons: a worker's work, as both need what pages do without. */
export class LiveTeller {
  #events: TraceEvent[] = [];
  #unpacker = new TraceUnpacker();
  #teller = new StoryTeller(this.#events);

  begin(): void {
    this.#events = [];
    this.#unpacker = new TraceUnpacker();
    this.#teller = new StoryTeller(this.#events);
  }

  /** @param text a part of the trace, packed */
  tell(text: string): readonly StoryLine[] {
    return this.#unpacker.unpack(packedOf(text)).flatMap((event) => {
      this.#events.push(event);
      return this.#teller.observe(event);
    });
  }

  why(question: Question): readonly CauseLink[] {
    return answersOf(this.#events)(question);
  }
}
