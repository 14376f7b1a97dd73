import type { ReplicaSetApi } from '@replsim/replset';
import type { Filling, Template } from '../file/placeholder.ts';
import type { Check } from '../scenario.ts';
import { fill } from '../stage/secondaryOk.ts';

/**
 * What members said when a check was last made. A check that waits is made again after each event, which is one member's: the others would
 * say the same. Where nothing has happened to anybody it is made because time has passed, and everybody is asked again.
 */
export class LastAnswers {
  readonly #set: ReplicaSetApi;
  readonly #said = new Map<string, Map<Template, { readonly changes: number; readonly reply: Uint8Array }>>();
  #check: Check | undefined;
  #changes = 0;

  constructor(set: ReplicaSetApi) {
    this.#set = set;
  }

  /** A check is about to be made. */
  begin(check: Check): void {
    const { changes } = this.#set;
    if (check !== this.#check || changes === this.#changes) this.#said.clear();
    this.#check = check;
    this.#changes = changes;
  }

  /** What a member says, or said while nothing has happened to it. */
  ask(member: string, command: Template, filling: Filling): Uint8Array {
    // What is sent moves with the time.
    if (command.dynamic) return this.#set.ask(member, fill(command, filling));
    const said = this.#said.get(member) ?? new Map();
    const { changes } = this.#set.status(member);
    const known = said.get(command);
    if (known?.changes === changes) return known.reply;
    const reply = this.#set.ask(member, fill(command, filling));
    this.#said.set(member, said.set(command, { changes, reply }));
    return reply;
  }
}
