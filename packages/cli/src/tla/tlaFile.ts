import { closeSync, writeSync } from 'node:fs';
import { basename } from 'node:path';
import type { TraceEvent } from '@replsim/protocol';
import { openToWrite } from '../files.ts';
import { InputError } from '../io.ts';
import { BehaviourReader } from './behaviour.ts';
import { TAKEN_NAMES, tlaModule } from './module.ts';

/** A run on its way into a TLA+ module, `OUT.tla`, with `OUT.cfg` beside it. */
export class TlaFile {
  readonly #path: string;
  readonly #name: string;
  readonly #tla: number;
  readonly #cfg: number;
  readonly #reader = new BehaviourReader();

  /** @throws InputError for a name that no module can have, and for files that cannot be written */
  constructor(path: string, force: boolean) {
    this.#path = path;
    this.#name = moduleName(path);
    this.#tla = openToWrite(path, 'TLA+ module', force);
    this.#cfg = openToWrite(path.replace(/\.tla$/, '.cfg'), "TLA+ module's configuration", force);
  }

  observe(event: TraceEvent): void {
    this.#reader.observe(event);
  }

  /**
   * The run is over.
   * @param title what ran
   * @returns what whoever asked for it has to know, if it is not all of the run
   */
  write(title: string): string | undefined {
    const behaviour = this.#reader.end();
    const { tla, cfg } = tlaModule(this.#name, title, behaviour);
    writeSync(this.#tla, tla);
    writeSync(this.#cfg, cfg);
    const { until, steps } = behaviour;
    if (until !== undefined)
      return `${this.#path} holds the run up to ${(until.atMicros / 1e6).toFixed(3)}s: ${until.why}`;
    return steps.length > 0 ? undefined : `${this.#path} holds no step: nobody was elected`;
  }

  close(): void {
    closeSync(this.#tla);
    closeSync(this.#cfg);
  }
}

/** TLA+ wants a module's name to be its file's: letters, digits and underscores. */
function moduleName(path: string): string {
  const name = /^(\w*[A-Za-z]\w*)\.tla$/.exec(basename(path))?.[1];
  if (name === undefined)
    throw new InputError(`--tla ${path}: TLA+ wants a file named as its module: letters, digits and _, then .tla`);
  if (TAKEN_NAMES.includes(name)) throw new InputError(`--tla ${path}: ${name} means something else in the module`);
  return name;
}
