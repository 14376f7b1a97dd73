import type { Random } from '@replsim/kernel';
import { required } from '@replsim/protocol';
import { ClientSession, ClusterClock, isAcknowledged, timesOf } from './client/session.ts';
import type { Hello } from './members.ts';
import { Template } from './placeholder.ts';
import type { ClientAction } from './scenario.ts';

/** What one command of a step gets from its session. */
export interface SessionUse {
  /** The command with what the session adds, as bytes. */
  dress(command: Template, fill: (command: Template) => Uint8Array): Uint8Array;
  /** Takes in the answer; the session may then serve another command. */
  end(reply: Uint8Array): void;
}

/** The sessions of a scenario's steps: those that have a name, and a pool of those that have none. */
export class StepSessions {
  readonly #random: Random;
  readonly #named = new Map<string, ClientSession>();
  /** The one used last serves first. Upstream: the driver sessions specification, the server session pool. */
  readonly #idle: ClientSession[] = [];
  readonly #clock = new ClusterClock();
  #made = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /**
   * The session for a step's command; undefined where drivers use none.
   * @param hello of the server that it goes to; undefined if it does not answer
   */
  for(action: ClientAction, hello: Hello | undefined): SessionUse | undefined {
    const named = action.session;
    const { value: command } = required(action.commands[0], 'command of the step');
    const acknowledged = isAcknowledged(command);
    if (named === undefined && !(action.implicitSession && hello?.logicalSessions && acknowledged)) return undefined;
    const session = named === undefined ? this.#fromPool() : this.#called(named);
    const isRead = command.has('find');
    const numbered = action.retryable && !isRead && hello?.inSet === true && acknowledged;
    const fields = { session, isRead: isRead && action.implicitSession, numbered, gossips: hello?.inSet === true };
    return {
      dress: (template, fill) => fill(this.#dressed(template, fields)),
      end: (reply) => {
        const { operationTime, $clusterTime } = timesOf(reply);
        session.advance(operationTime);
        this.#clock.advance($clusterTime);
        if (named === undefined) this.#idle.push(session);
      },
    };
  }

  #dressed(command: Template, { session, isRead, numbered, gossips }: Dress): Template {
    const value = new Map<string, unknown>([...command.value, ['lsid', session.lsid]]);
    if (numbered) value.set('txnNumber', session.nextTxnNumber());
    const { afterClusterTime } = session;
    const readConcern = command.value.get('readConcern');
    const { newest } = this.#clock;
    if (isRead && afterClusterTime)
      value.set(
        'readConcern',
        new Map([...(readConcern instanceof Map ? readConcern : []), ['afterClusterTime', afterClusterTime]]),
      );
    // Only members of a set know what to do with it.
    if (gossips && newest) value.set('$clusterTime', newest);
    return new Template(value);
  }

  #called(name: string): ClientSession {
    const session = this.#named.get(name) ?? new ClientSession(this.#random.split('named', name), { causal: true });
    this.#named.set(name, session);
    return session;
  }

  #fromPool(): ClientSession {
    return this.#idle.pop() ?? new ClientSession(this.#random.split('implicit', this.#made++), { causal: false });
  }
}

interface Dress {
  readonly session: ClientSession;
  readonly isRead: boolean;
  readonly numbered: boolean;
  readonly gossips: boolean;
}
