import { IncidentError } from './incidentError.ts';
import { OLD_LOG_LINE, parseLogLine } from './logs/logLine.ts';
import { LogReader } from './logs/logReader.ts';
import type { MemberLog } from './logs/memberLog.ts';
import { confOf, isConf, type ReadConf } from './readConf.ts';
import { printedIn } from './shell/printed.ts';
import { isStatus, type Status, statusOf } from './status/readStatus.ts';

/** What files of an incident hold. */
export interface Evidence {
  readonly logs: readonly MemberLog[];
  readonly confs: readonly (ReadConf & { readonly file: string })[];
  readonly statuses: readonly Status[];
}

const NO_EVIDENCE: Evidence = { logs: [], confs: [], statuses: [] };

/** A log may begin in the middle of a line, or with what another program says. */
const LINES_BEFORE_A_LOG = 20;
/** A config and a status are short. */
const MAX_CHARACTERS = 4_000_000;

/** Reads one file line by line, and finds out by itself what it holds. */
export class EvidenceReader {
  readonly #file: string;
  #before: string[] = [];
  #log: LogReader | undefined;
  #characters = 0;

  /** @param file the name that messages and comments show */
  constructor(file: string) {
    this.#file = file;
  }

  /** @throws IncidentError for a file that holds nothing of use */
  line(text: string): void {
    if (this.#log !== undefined) return this.#log.line(text);
    this.#before.push(text);
    this.#characters += text.length;
    const isLog =
      this.#before.length <= LINES_BEFORE_A_LOG && (parseLogLine(text) !== undefined || OLD_LOG_LINE.test(text));
    if (isLog) {
      this.#log = new LogReader(this.#file);
      for (const line of this.#before) this.#log.line(line);
      this.#before = [];
    }
    if (this.#characters > MAX_CHARACTERS)
      throw new IncidentError(
        this.#file,
        undefined,
        `this is no log of a mongod, and too long for a config or a status; ${KNOWN}`,
      );
  }

  /** @throws IncidentError, and InvalidScenario for a config that a mongod would refuse */
  end(): Evidence {
    if (this.#log !== undefined) return { ...NO_EVIDENCE, logs: [this.#log.end()] };
    const text = this.#before.join('\n').replace(/^\uFEFF/, '');
    if (text.trim() === '') throw new IncidentError(this.#file, undefined, `this file is empty; ${KNOWN}`);
    return this.#documents(text);
  }

  #documents(text: string): Evidence {
    const file = this.#file;
    if (/\.ya?ml$/.test(file)) return { ...NO_EVIDENCE, confs: [{ ...confOf(text, file), file }] };
    const printed = printedIn(text, file);
    const statuses = printed.filter(({ flow }) => isStatus(flow)).map((each) => statusOf(each, file));
    const confs = printed.filter(({ flow }) => isConf(flow)).map(({ flow }) => ({ ...confOf(flow, file), file }));
    if (statuses.length + confs.length > 0) return { logs: [], confs, statuses };
    throw new IncidentError(file, printed[0]?.line, `this is neither a log, nor a config, nor a status; ${KNOWN}`);
  }
}

const KNOWN = 'replsim import reads what rs.conf() and rs.status() print, and structured logs of mongod from 4.4 on';

/** All evidence together. */
export function together(all: readonly Evidence[]): Evidence {
  return {
    logs: all.flatMap(({ logs }) => logs),
    confs: all.flatMap(({ confs }) => confs),
    statuses: all.flatMap(({ statuses }) => statuses),
  };
}
