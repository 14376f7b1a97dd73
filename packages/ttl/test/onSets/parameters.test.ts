import { Int32, Long } from 'bson';
import { expect, test } from 'vitest';
import { AskedSet } from '../../../replset/test/askedSet.ts';

const int = (value: number) => new Int32(value);
const long = (value: number) => Long.fromNumber(value);

// Types as in ttl.idl and batched_delete_stage.idl.
const SHOWN = {
  ttlMonitorEnabled: true,
  ttlMonitorSleepSecs: int(60),
  ttlMonitorBatchDeletes: true,
  ttlMonitorSubPassTargetSecs: int(60),
  ttlIndexDeleteTargetTimeMS: int(1000),
  ttlIndexDeleteTargetDocs: int(50_000),
  batchedDeletesTargetBatchDocs: long(10),
  batchedDeletesTargetBatchTimeMS: long(5),
  batchedDeletesTargetStagedDocBytes: long(2_097_152),
};
const PRIORITY = { ttlCollLowPrioritySubpassLimit: int(5) };

test.for([
  { version: '8.2', known: SHOWN, unknown: ['ttlCollLowPrioritySubpassLimit'] },
  { version: '8.0', known: { ...SHOWN, ...PRIORITY }, unknown: ['ttlMonitorBackgroundOperation'] },
  { version: '7.0', known: { ...SHOWN, ...PRIORITY }, unknown: [] },
  {
    version: '3.2',
    known: { ttlMonitorEnabled: true, ttlMonitorSleepSecs: int(60) },
    unknown: ['ttlMonitorBatchDeletes', 'batchedDeletesTargetBatchDocs'],
  },
] as const)(
  'getParameter shows each TTL parameter of $version in its BSON type',
  async ({ version, known, unknown }) => {
    const asked = await AskedSet.create({ members: [{ name: 'n1' }], version });
    const all = asked.typed('n1', { getParameter: '*' });
    for (const [name, value] of Object.entries(known)) {
      expect(asked.typed('n1', { getParameter: 1, [name]: 1 })[name], name).toEqual(value);
      expect(all[name], name).toEqual(value);
    }
    for (const name of unknown) {
      expect(asked.now('n1', { getParameter: 1, [name]: 1 })).toMatchObject({ ok: 0, code: 72 });
      expect(all).not.toHaveProperty(name);
    }
  },
);
