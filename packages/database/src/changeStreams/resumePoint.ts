import {
  type ClientToken,
  CURRENT_TOKEN_VERSION,
  type EncodedToken,
  type StreamOperation,
  type TokenVersion,
} from '@replsim/changestreams';
import { CommandError, compareTimestamps } from '@replsim/protocol';

/** What becomes of an event while a stream looks for the place where it is to go on. */
export type Verdict = 'swallow' | 'show' | 'dropFragments';

/**
 * Finds the event behind which a stream goes on. What comes before it at the same time is not shown again; where it is not found,
 * going on would leave a gap. Upstream: document_source_change_stream_check_resumability.cpp, …_ensure_resume_token_present.cpp.
 */
export class ResumePoint {
  readonly #token: ClientToken;
  #isFound: boolean;
  #isPassed = false;

  constructor(token: ClientToken) {
    this.#token = token;
    // It stands for a time, not for an event.
    this.#isFound = token.isHighWaterMark;
  }

  /** The version of tokens in which events up to here are compared: the client's own. */
  versionFor({ clusterTime, txnOpIndex }: StreamOperation): TokenVersion {
    const order = compareTimestamps(clusterTime, this.#token.clusterTime) || txnOpIndex - this.#token.txnOpIndex;
    return order <= 0 ? this.#token.version : CURRENT_TOKEN_VERSION;
  }

  /** Errors: ChangeStreamFatalError 280 where the event is passed and was not met. */
  judge({ data }: EncodedToken): Verdict {
    if (this.#isPassed) return 'show';
    const { eventData, fragmentNum } = this.#token;
    if (data < eventData) return 'swallow';
    if (data === eventData) {
      this.#isFound = true;
      return fragmentNum === undefined ? 'swallow' : 'dropFragments';
    }
    if (!this.#isFound) throw this.notFound();
    this.#isPassed = true;
    return 'show';
  }

  /** The number of the last part that the client has, where it stopped within an event. */
  get fragmentNum(): number {
    return this.#token.fragmentNum ?? -1;
  }

  notFound(): CommandError {
    return new CommandError(
      'ChangeStreamFatalError',
      `cannot resume stream; the resume token was not found. {_data: "${this.#token.data}"}`,
    );
  }
}
