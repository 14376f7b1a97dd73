import type { Reply } from '@replsim/pipeline';
import { clusterParameter } from '@replsim/pipeline';
import { PRE_IMAGES_NS } from '@replsim/protocol';
import type { ReadView } from '@replsim/storage';
import { storageBytes } from '../catalog/diskSizes.ts';
import type { MemberServices } from '../member.ts';

/**
 * `changeStreamPreImages` of serverStatus: what the job that removes images has done, and from 8.0 on what there is. The job takes no
 * time here; those of its passes that came before the first image looked at nothing.
 * Upstream: change_stream_preimages_server_status.cpp; change_stream_pre_images_collection_manager.h, PurgingJobStats.
 */
export function preImagesSection(member: MemberServices, data: ReadView): Reply {
  const { counters, now, parameters, startedMicros, traits } = member;
  const { docsInserted, ...job } = counters.preImages;
  const sleepMicros = parameters.number('expiredChangeStreamPreImageRemovalJobSleepSecs') * 1_000_000;
  const collection = data.collection(PRE_IMAGES_NS);
  const purgingJob = {
    totalPass: BigInt(Math.floor((now.monotonicMicros - startedMicros) / sleepMicros)),
    docsDeleted: BigInt(job.docsDeleted),
    bytesDeleted: BigInt(job.bytesDeleted),
    scannedCollections: BigInt(job.scannedCollections),
    scannedInternalCollections: BigInt(job.scannedInternalCollections),
    maxStartWallTimeMillis: BigInt(job.maxStartWallTimeMillis),
    timeElapsedMillis: 0n,
  };
  if (!collection) return { purgingJob };
  const expiry = { purgingJob, ...expireAfterSeconds(data, traits.maxWireVersion) };
  if (!traits.preImagesCounted) return expiry;
  const { count, dataSize } = collection;
  return {
    ...expiry,
    numDocs: BigInt(count),
    totalBytes: BigInt(dataSize),
    ...(count > 0 && { avgDocSize: Math.floor(dataSize / count) }),
    docsInserted: BigInt(docsInserted),
    storageSize: BigInt(storageBytes(collection)),
    freeStorageSize: 0n,
  };
}

/** Nothing where images stay as long as their entries. */
function expireAfterSeconds(data: ReadView, maxWireVersion: number): Reply {
  const { preAndPostImages } = clusterParameter(data, 'changeStreamOptions', maxWireVersion);
  const { expireAfterSeconds: seconds } = preAndPostImages as { readonly expireAfterSeconds: unknown };
  return seconds === 'off' ? {} : { expireAfterSeconds: BigInt(String(seconds)) };
}
