import { decodePromoted, encodeDocument } from '@replsim/protocol';
import { Binary, Timestamp, UUID } from 'bson';
import { describe, expect, test } from 'vitest';
import { type EventDetail, encodeEvent, encodeInvalidate } from '../src/encodeEvent.ts';
import { eventToken } from '../src/resumeToken.ts';
import { eventOf, placeOf } from '../src/streamEvent.ts';
import { operation, streamed } from './entries.ts';
import { uuid, ZEROS } from './tokens.ts';

// Which event an operation is, with its fields in their order.

const classic: EventDetail = {
  showExpandedEvents: false,
  showRawUpdateDescription: false,
  alwaysExpanded: false,
  showsNsType: false,
};
const expanded = { ...classic, showExpandedEvents: true };
const of82 = { ...classic, alwaysExpanded: true, showsNsType: true };
const token = encodeDocument({ _data: '82' });
const show = (of: Parameters<typeof operation>, detail = classic) =>
  decodePromoted(encodeEvent(eventOf(streamed(operation(...of))), token, detail, {}));
const ns = { db: 'app', coll: 'c' };
const head = (operationType: string) => ({
  _id: { _data: '82' },
  operationType,
  clusterTime: new Timestamp({ t: 1000, i: 1 }),
});
const wallTime = new Date(1_000_000);
const collectionUUID = new UUID(ZEROS);

const options = { uuid: new UUID(ZEROS), validationLevel: 'strict' };
const ttlIndex = { v: 2, key: { at: 1 }, name: 'ttl', expireAfterSeconds: 60 };

describe('classic events', () => {
  test.for<[of: Parameters<typeof operation>, operationType: string, rest: Record<string, unknown>]>([
    [
      ['i', 'app.c', { _id: 1, a: 2 }, { o2: { _id: 1 } }],
      'insert',
      { fullDocument: { _id: 1, a: 2 }, ns, documentKey: { _id: 1 } },
    ],
    [['i', 'app.c', { _id: 1, a: 2 }], 'insert', { fullDocument: { _id: 1, a: 2 }, ns, documentKey: { _id: 1 } }],
    [
      ['u', 'app.c', { $v: 2, diff: { u: { a: 3 } } }, { o2: { _id: 1 } }],
      'update',
      {
        ns,
        documentKey: { _id: 1 },
        updateDescription: { updatedFields: { a: 3 }, removedFields: [], truncatedArrays: [] },
      },
    ],
    [
      ['u', 'app.c', { _id: 1, a: 3 }, { o2: { _id: 1 } }],
      'replace',
      { fullDocument: { _id: 1, a: 3 }, ns, documentKey: { _id: 1 } },
    ],
    [['d', 'app.c', { _id: 1 }], 'delete', { ns, documentKey: { _id: 1 } }],
    [['c', 'app.$cmd', { drop: 'c' }], 'drop', { ns }],
    [['c', 'app.$cmd', { dropDatabase: 1 }], 'dropDatabase', { ns: { db: 'app' } }],
  ])('%o is %s', ([of, operationType, rest]) => {
    const event = show(of);
    const expected = { ...head(operationType), wallTime, ...rest };
    expect(event).toEqual(expected);
    expect(Object.keys(event)).toEqual(Object.keys(expected));
  });

  test('a rename says first where to', () => {
    const to = { db: 'app', coll: 'd' };
    const dropTarget = new Binary(uuid('adb3eafe-ebcf-4236-83be-8cf7cbc7f1d2'), 4);
    const o = { renameCollection: 'app.c', to: 'app.d', stayTemp: false, dropTarget };
    expect(Object.entries(show(['c', 'app.$cmd', o]))).toEqual(Object.entries({ to, ...head('rename'), wallTime, ns }));
    const operationDescription = { to, dropTarget: new UUID(dropTarget.buffer) };
    expect(show(['c', 'app.$cmd', o], expanded)).toMatchObject({ operationDescription, collectionUUID });
    expect(show(['c', 'app.$cmd', o], of82)).toMatchObject({ operationDescription, collectionUUID });
  });

  test('an invalidation has a token and a time, and nothing else', () => {
    const drop = eventOf(streamed(operation('c', 'app.$cmd', { drop: 'c' })));
    const own = eventToken(placeOf(drop, true));
    expect(own.data).toBe(eventToken(placeOf(drop)).data.replace('296E5A', '296F5A'));
    const event = decodePromoted(encodeInvalidate(drop, own.document));
    expect(event).toEqual({ ...head('invalidate'), _id: { _data: own.data }, wallTime });
  });

  test('operations of a transaction name it', () => {
    const lsid = encodeDocument({ id: 1, uid: 2 });
    const source = { ...streamed(operation('d', 'app.c', { _id: 1 })), transaction: { lsid, txnNumber: 7n } };
    const event = decodePromoted(encodeEvent(eventOf(source), token, classic, {}));
    expect(Object.keys(event).slice(0, 3)).toEqual(['txnNumber', 'lsid', '_id']);
    expect(event).toMatchObject({ txnNumber: 7, lsid: { id: 1, uid: 2 } });
  });

  test('images stand in their places', () => {
    const update = eventOf(streamed(operation('u', 'app.c', { $v: 2, diff: { u: { a: 3 } } }, { o2: { _id: 1 } })));
    const images = { fullDocument: null, fullDocumentBeforeChange: encodeDocument({ _id: 1, a: 2 }) };
    const event = decodePromoted(encodeEvent(update, token, classic, images));
    expect(event).toMatchObject({ fullDocument: null, fullDocumentBeforeChange: { _id: 1, a: 2 } });
    expect(Object.keys(event)).toEqual([
      '_id',
      'operationType',
      'clusterTime',
      'wallTime',
      'fullDocument',
      'ns',
      'documentKey',
      'updateDescription',
      'fullDocumentBeforeChange',
    ]);
    const raw = { ...classic, showRawUpdateDescription: true };
    expect(decodePromoted(encodeEvent(update, token, raw, {}))).toMatchObject({
      rawUpdateDescription: { $v: 2, diff: { u: { a: 3 } } },
    });
  });
});

describe('expanded events', () => {
  test.for<[of: Parameters<typeof operation>, operationType: string, rest: Record<string, unknown>]>([
    [
      ['c', 'app.$cmd', { create: 'c', capped: true, idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } }],
      'create',
      { operationDescription: { capped: true, idIndex: { v: 2, key: { _id: 1 }, name: '_id_' } } },
    ],
    [
      ['c', 'app.$cmd', { createIndexes: 'c', ...ttlIndex }],
      'createIndexes',
      { operationDescription: { indexes: [ttlIndex] } },
    ],
    [
      ['c', 'app.$cmd', { commitIndexBuild: 'c', indexBuildUUID: 1, indexes: [ttlIndex, ttlIndex] }],
      'createIndexes',
      { operationDescription: { indexes: [ttlIndex, ttlIndex] } },
    ],
    [
      ['c', 'app.$cmd', { startIndexBuild: 'c', indexBuildUUID: 1, indexes: [ttlIndex] }],
      'startIndexBuild',
      { operationDescription: { indexes: [ttlIndex] } },
    ],
    [
      ['c', 'app.$cmd', { abortIndexBuild: 'c', indexBuildUUID: 1, indexes: [ttlIndex], cause: {} }],
      'abortIndexBuild',
      { operationDescription: { indexes: [ttlIndex] } },
    ],
    [
      ['c', 'app.$cmd', { dropIndexes: 'c', index: 'ttl' }, { o2: ttlIndex }],
      'dropIndexes',
      { operationDescription: { indexes: [ttlIndex] } },
    ],
    [
      [
        'c',
        'app.$cmd',
        { collMod: 'c', index: { name: 'ttl', expireAfterSeconds: 5 } },
        { o2: { collectionOptions_old: options, indexOptions_old: { expireAfterSeconds: 60 } } },
      ],
      'modify',
      {
        operationDescription: { index: { name: 'ttl', expireAfterSeconds: 5 } },
        stateBeforeChange: { collectionOptions: options, indexOptions: { expireAfterSeconds: 60 } },
      },
    ],
    [
      ['c', 'app.$cmd', { collMod: 'c', validationLevel: 'off' }, { o2: { collectionOptions_old: options } }],
      'modify',
      { operationDescription: { validationLevel: 'off' }, stateBeforeChange: { collectionOptions: options } },
    ],
  ])('%o is %s', ([of, operationType, rest]) => {
    const event = show(of, expanded);
    const expected = { ...head(operationType), collectionUUID, wallTime, ns, ...rest };
    expect(event).toEqual(expected);
    expect(Object.keys(event)).toEqual(Object.keys(expected));
    expect(eventOf(streamed(operation(...of))).isClassic).toBe(false);
  });

  test('documents have the UUID of their collection; 8.2 shows it to all', () => {
    const insert: Parameters<typeof operation> = ['i', 'app.c', { _id: 1 }];
    expect(show(insert)).not.toHaveProperty('collectionUUID');
    for (const detail of [expanded, of82]) expect(show(insert, detail)).toMatchObject({ collectionUUID });
  });

  test('since 8.1 a create says of what', () => {
    const detail = { ...expanded, showsNsType: true };
    expect(show(['c', 'app.$cmd', { create: 'c' }], detail)).toMatchObject({ nsType: 'collection' });
    const view = (viewOn: string) => show(['i', 'app.system.views', { _id: 'app.v', viewOn, pipeline: [] }], detail);
    expect(view('c')).toMatchObject({ nsType: 'view' });
    expect(view('system.buckets.v')).toMatchObject({ nsType: 'timeseries' });
  });

  test('a view is a document of the catalog, and no collection', () => {
    const definition = { viewOn: 'c', pipeline: [{ $match: {} }] };
    const view = { db: 'app', coll: 'v' };
    const stored = { _id: 'app.v', ...definition };
    const events = [
      show(['i', 'app.system.views', stored, { o2: { _id: 'app.v' } }], expanded),
      show(['u', 'app.system.views', stored, { o2: { _id: 'app.v' } }], expanded),
      show(['d', 'app.system.views', { _id: 'app.v' }], expanded),
    ];
    expect(events).toEqual([
      { ...head('create'), wallTime, ns: view, operationDescription: definition },
      { ...head('modify'), wallTime, ns: view, operationDescription: definition },
      { ...head('drop'), wallTime, ns: view },
    ]);
  });
});

test('a token identifies an event by its description whether or not the client sees it', () => {
  const rename = eventOf(
    streamed(operation('c', 'app.$cmd', { renameCollection: 'app.c', to: 'app.d', stayTemp: false })),
  );
  expect(eventToken(placeOf(rename)).data).toContain('6F7065726174696F6E4465736372697074696F6E');
});
