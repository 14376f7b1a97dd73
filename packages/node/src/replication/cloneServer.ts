import { type Operation, spend } from '@replsim/operations';
import { listSpecs } from '@replsim/pipeline';
import {
  type ClonerListIndexesCommand,
  type ClonerListIndexesReply,
  type ClonerQueryCommand,
  type ClonerQueryReply,
  type ErrorReply,
  isReadable,
  type MemberRequest,
  type SharedDocument,
} from '@replsim/protocol';
import type { RecordPlace } from '@replsim/storage';
import type { Core } from '../core/core.ts';
import type { Replication } from './replication.ts';

/** Upstream: find_common.h, kMaxBytesToReturnToClientAtOnce. */
const MAX_REPLY_BYTES = 16 * 1024 * 1024;

const GONE: ErrorReply = Object.freeze({ ok: 0, code: 26, errmsg: 'the collection does not exist any more' });

/** Serves stretches of collections to members that copy them. Upstream: what answers collection_cloner.cpp's query. */
export class CloneServer {
  readonly #core: Core;
  readonly #repl: Replication;

  constructor(core: Core, repl: Replication) {
    this.#core = core;
    this.#repl = repl;
  }

  onQuery(request: MemberRequest, command: ClonerQueryCommand): void {
    const respond = (reply: Parameters<Core['respond']>[3]) =>
      this.#core.respond(request.from, request.channel, request.id, reply);
    const reply = this.#refusal() ?? this.#read(command) ?? GONE;
    if (reply.ok === 0) return respond(reply);
    const labels = { desc: 'conn', ns: '', commandName: 'find', killable: 'onRollback' } as const;
    const cost = reply.documents.length * this.#core.costs.scanKeyMicros;
    this.#repl.host.scheduler.run(labels, takeTime(cost), (result) => {
      respond('error' in result ? { ok: 0, code: result.error.code, errmsg: result.error.message } : reply);
    });
  }

  listIndexes({ listIndexes: uuid }: ClonerListIndexesCommand): ClonerListIndexesReply | ErrorReply {
    const refusal = this.#refusal();
    if (refusal) return refusal;
    const collection = this.#core.engine.collectionByUuid(uuid);
    if (!collection) return GONE;
    const { ns, count, dataSize: size } = collection;
    // What listIndexes shows, so that a copy made now holds no invalid `expireAfterSeconds`.
    const indexes = listSpecs(
      ns,
      collection.indexes.map(({ spec }) => spec),
      this.#core,
    );
    const unfinished = collection.unfinished.map((build) => ({
      buildUUID: build.uuid,
      indexes: build.indexes.map(({ spec }) => spec.bytes),
    }));
    return { ok: 1, indexes, unfinished, count, size };
  }

  #refusal(): ErrorReply | undefined {
    if (isReadable(this.#repl.topology.state)) return undefined;
    return { ok: 0, code: 13436, errmsg: 'node is not in primary or recovering state' };
  }

  #read({ find, $_resumeAfter, batchSize }: ClonerQueryCommand): ClonerQueryReply | undefined {
    const collection = this.#core.engine.collectionByUuid(find);
    if (!collection) return undefined;
    const documents: SharedDocument[] = [];
    const records = collection.records($_resumeAfter ? { after: $_resumeAfter.$recordId } : {});
    let bytes = 0;
    let last: RecordPlace = 0;
    while (records.next()) {
      const full = bytes >= MAX_REPLY_BYTES || (batchSize > 0 && documents.length >= batchSize);
      if (full) return { ok: 1, documents, postBatchResumeToken: { $recordId: last } };
      documents.push(records.document);
      bytes += records.document.bytes.length;
      last = records.place;
    }
    return { ok: 1, documents };
  }
}

function* takeTime(micros: number): Operation<void> {
  yield* spend(micros);
}
