import { decodePromoted, firstKey } from '@replsim/protocol';

/** Commands by which a client shows who it is. */
const LOGINS = new Set(['saslStart', 'saslContinue', 'authenticate']);
const HELLO = new Set(['hello', 'isMaster', 'ismaster']);

/** How far a client has come: a monitor says hello and never logs in. */
export type LoginState = 'silent' | 'introduced' | 'loggingIn' | 'authenticated';

/** Follows the login of one connection by what is asked and answered on it. */
export class LoginWatch {
  #state: LoginState = 'silent';

  get state(): LoginState {
    return this.#state;
  }

  /** A command comes in. */
  asked(command: Uint8Array): void {
    if (this.#state === 'authenticated') return;
    const name = firstKey(command);
    if (LOGINS.has(name)) this.#state = 'loggingIn';
    else if (HELLO.has(name)) this.#state = beginsLogin(command) ? 'loggingIn' : laterOf(this.#state, 'introduced');
  }

  /** It has been answered. */
  answered(command: Uint8Array, reply: Uint8Array): void {
    if (this.#state !== 'loggingIn') return;
    const { ok, done, user, speculativeAuthenticate: step } = decodePromoted(reply);
    if (ok !== 1) return;
    const name = firstKey(command);
    if (name === 'authenticate' ? user !== undefined : done === true || isDone(step)) this.#state = 'authenticated';
    // The answer within a hello is no login that is under way, if there is none.
    else if (HELLO.has(name) && step === undefined) this.#state = 'introduced';
  }
}

function beginsLogin(hello: Uint8Array): boolean {
  return decodePromoted(hello).speculativeAuthenticate !== undefined;
}

function laterOf(state: LoginState, introduced: LoginState): LoginState {
  return state === 'silent' ? introduced : state;
}

/** X509 is done at once, and says whose the certificate is. */
function isDone(step: { readonly done?: unknown; readonly user?: unknown } | undefined): boolean {
  return step !== undefined && (step.done === true || step.user !== undefined);
}
