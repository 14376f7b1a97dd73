import type { Document, MongoClient } from 'mongodb';
import type { EntitySettings, EventKind, ExpectedEvent, ExpectedEvents } from './format.ts';
import { match, type Named } from './match.ts';
import { copied } from './values.ts';
import { Failure } from './verdicts.ts';

/** One event of a client, by the format's name. */
interface Recorded {
  readonly name: string;
  readonly fields: Document;
}

/** Commands that may carry secrets; drivers tell of them without their fields. */
const SENSITIVE = new Set(
  'authenticate saslStart saslContinue getnonce createUser updateUser copydbgetnonce copydbsaslstart copydb'
    .toLowerCase()
    .split(' '),
);
const HELLO = new Set(['hello', 'ismaster']);

/** What a client tells of itself, as far as a test watches it. */
export class EventLog {
  readonly #recorded: Recorded[] = [];
  readonly #started: Document[] = [];
  readonly #ignored: ReadonlySet<string>;
  readonly #observesSensitive: boolean;

  constructor(client: MongoClient, settings: EntitySettings) {
    const { observeEvents = [], ignoreCommandMonitoringEvents = [], observeSensitiveCommands = false } = settings;
    this.#ignored = new Set(['configureFailPoint', ...ignoreCommandMonitoringEvents]);
    this.#observesSensitive = observeSensitiveCommands;
    for (const name of new Set(observeEvents))
      listen(client, name, (event) => this.#heard(event) && this.#recorded.push({ name, fields: event }));
    listen(client, 'commandStartedEvent', (event) => this.#heard(event) && this.#started.push(event.command));
  }

  /** The commands sent last, whether or not the test watches them. */
  lastCommands(count: number): readonly Document[] {
    return this.#started.slice(-count);
  }

  /** How many events so far are as described. */
  count(expected: ExpectedEvent, named: Named): number {
    return this.#recorded.filter((event) => isMatch(() => matchEvent(expected, event, named))).length;
  }

  /** @throws Failure unless the events of this kind are those expected, in their order */
  check({ eventType = 'command', events, ignoreExtraEvents = false }: ExpectedEvents, named: Named): void {
    const found = this.#recorded.filter(({ name }) => kindOf(name) === eventType);
    const names = found.map(({ name, fields }) => fields.commandName ?? name).join(', ');
    if (found.length < events.length || (found.length > events.length && !ignoreExtraEvents))
      throw new Failure(`${found.length} ${eventType} events, not ${events.length}: ${names}`);
    for (const [i, expected] of events.entries()) {
      const event = found[i];
      if (event) matchEvent(expected, event, named, `event ${i}`);
    }
  }

  #heard({ commandName, command, reply }: Document): boolean {
    if (commandName === undefined) return true;
    if (this.#ignored.has(commandName)) return false;
    const name = commandName.toLowerCase();
    const isBlank = [command, reply].some((part) => part && Object.keys(part).length === 0);
    return this.#observesSensitive || !(SENSITIVE.has(name) || (HELLO.has(name) && isBlank));
  }
}

/** The format calls pools by a shorter name than the driver; otherwise the two differ by a suffix. */
function listen(client: MongoClient, name: string, heard: (event: Document) => unknown): void {
  const ofDriver = name.replace(/Event$/, '').replace(/^pool/, 'connectionPool');
  client.on(ofDriver as 'commandStarted', (event: Document) => heard({ ...event, ...commandOf(event) }));
}

/** These the driver changes afterwards. */
function commandOf({ command, reply }: Document): Document {
  return { ...(command && { command: copied(command) }), ...(reply && { reply: copied(reply) }) };
}

function kindOf(name: string): EventKind {
  if (name.startsWith('command')) return 'command';
  return name.startsWith('pool') || name.startsWith('connection') ? 'cmap' : 'sdam';
}

function matchEvent(expected: ExpectedEvent, { name, fields }: Recorded, named: Named, path = 'event'): void {
  for (const [wanted, described] of Object.entries(expected)) {
    if (wanted !== name) throw new Failure(`${path}: ${wanted} expected, not ${name} of ${fields.commandName ?? ''}`);
    for (const [field, value] of Object.entries(described ?? {}))
      match(value, fieldOf(fields, field), named, `${path}.${field}`);
  }
}

/** `hasServiceId` and the like ask whether there is a `serviceId`; a flag that the driver leaves out is false. */
function fieldOf(fields: Document, field: string): unknown {
  const [, asked] = /^has([A-Z]\w+)$/.exec(field) ?? [];
  if (asked !== undefined) return fields[asked[0]?.toLowerCase() + asked.slice(1)] !== undefined;
  return field === 'interruptInUseConnections' ? (fields[field] ?? false) : fields[field];
}

function isMatch(check: () => void): boolean {
  try {
    check();
    return true;
  } catch (error) {
    if (error instanceof Failure) return false;
    throw error;
  }
}
