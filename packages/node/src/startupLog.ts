import { buildInfoReply } from '@replsim/database';
import { excessRecords } from '@replsim/pipeline';
import { encodeDocument, IdSource } from '@replsim/protocol';
import { StoredDocument } from '@replsim/storage';
import { recordedOptions } from './core/commandLine.ts';
import type { Core } from './core/core.ts';
import type { Writes } from './data/writes.ts';

const STARTUP_LOG = 'local.startup_log';
/** Unit: bytes. Upstream: mongod_main.cpp, logStartup. */
const SIZE_BYTES = 10_485_760;
/** The same on every member, as nobody ever compares them, and not drawn: it would shift all that a run draws after it. */
const UUID = new IdSource([0, 0]).uuid();

/** Enters this start in `local.startup_log`, which no other member gets to see. Upstream: mongod_main.cpp, logStartup. */
export function recordStart(core: Core, writes: Writes): void {
  const { engine, now, options, traits } = core;
  const hostname = options.host.split(':')[0];
  const start = encodeDocument({
    _id: `${hostname}-${now.wallMs}`,
    hostname,
    startTime: new Date(Math.floor(now.wallMs / 1000) * 1000),
    startTimeLocal: ctime(now.wallMs),
    cmdLine: recordedOptions(options),
    pid: 1n,
    buildinfo: buildInfoReply(traits),
  });
  const document = new StoredDocument(start);
  // Where the clock was set back, or a process ended at once, a start may have been entered under this name.
  if (engine.collection(STARTUP_LOG)?.findById(document.idKey) !== undefined) return;
  writes.unreplicated(() => {
    if (!engine.collection(STARTUP_LOG)) {
      writes.createCollection(STARTUP_LOG, encodeDocument({ capped: true, size: SIZE_BYTES }), UUID);
    }
    writes.insert(STARTUP_LOG, [document]);
    const collection = engine.collection(STARTUP_LOG);
    const excess = collection ? excessRecords(collection) : [];
    if (collection && excess.length > 0) writes.delete(collection, excess, { grouped: false });
  });
}

const WEEKDAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'];
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Like C's `ctime`, in UTC and without the year: `Wed Jan  1 00:00:00.000`. Upstream: time_support.cpp, dateToCtimeString.
 * By hand, since the first text that V8 makes of a date loads the tables of time zones, which takes a tenth of a set's start.
 */
function ctime(wallMs: number): string {
  const date = new Date(wallMs);
  const time = [date.getUTCHours(), date.getUTCMinutes(), date.getUTCSeconds()]
    .map((part) => padded(part, 2))
    .join(':');
  const day = String(date.getUTCDate()).padStart(2);
  return `${WEEKDAYS[date.getUTCDay()]} ${MONTHS[date.getUTCMonth()]} ${day} ${time}.${padded(date.getUTCMilliseconds(), 3)}`;
}

function padded(part: number, digits: number): string {
  return String(part).padStart(digits, '0');
}
