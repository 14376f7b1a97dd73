import type { Reply } from '@replsim/pipeline';
import { RawBson } from '@replsim/protocol';
import { buildInfoReply } from '../admin/diagnostics.ts';
import type { MemberFacts } from '../member.ts';
import { SORT_MEMORY_BYTES } from './readStages.ts';

/** Upstream: explain_common.cpp, generateServerParameters. */
const SERVER_PARAMETERS: Reply = Object.freeze({
  internalQueryFacetBufferSizeBytes: 104_857_600,
  internalQueryFacetMaxOutputDocSizeBytes: 104_857_600,
  internalLookupStageIntermediateDocumentMaxSizeBytes: 104_857_600,
  internalDocumentSourceGroupMaxMemoryBytes: 104_857_600,
  internalQueryMaxBlockingSortMemoryUsageBytes: SORT_MEMORY_BYTES,
  internalQueryProhibitBlockingMergeOnMongoS: 0,
  internalQueryMaxAddToSetBytes: 104_857_600,
  internalDocumentSourceSetWindowFieldsMaxMemoryBytes: 104_857_600,
  // What is imitated is the classic engine, whatever a release would choose.
  internalQueryFrameworkControl: 'forceClassicEngine',
});

/** The reply of explain, with what every one of them shows. @param command as it was sent */
export function explainReply(sections: Reply, command: Uint8Array, { host, traits }: MemberFacts): Reply {
  const [name, port] = host.split(':');
  const { version, gitVersion } = buildInfoReply(traits);
  return {
    ...(traits.explainVersion && { explainVersion: '1' }),
    ...sections,
    ...(traits.explainVersion && { command: new RawBson(command) }),
    serverInfo: { host: name, port: Number(port), version, gitVersion },
    ...(traits.explainVersion && { serverParameters: SERVER_PARAMETERS }),
  };
}
