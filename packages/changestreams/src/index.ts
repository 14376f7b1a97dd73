export { type EventDetail, type EventImages, encodeEvent, encodeInvalidate } from './encodeEvent.ts';
export {
  type ClientToken,
  CURRENT_TOKEN_VERSION,
  type EncodedToken,
  type EventIdentifier,
  type EventPlace,
  eventToken,
  highWaterMark,
  parseToken,
  type TokenVersion,
} from './resumeToken.ts';
export { splitEvent } from './splitEvent.ts';
export { type EventNamespace, eventOf, placeOf, type StreamEvent } from './streamEvent.ts';
export { operationsOf, type StreamOperation } from './streamOperation.ts';
export { type ScopeOptions, StreamScope, type StreamTarget } from './streamScope.ts';
export { updateDescription } from './updateDescription.ts';
