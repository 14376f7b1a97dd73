export { targetsOf, type VisitAction, VisitProgress, type VisitTargets } from './batch.ts';
export { collectionExpireAfterSeconds } from './collectionSeconds.ts';
export {
  checkCollModCollection,
  checkCollModIndex,
  checkCollModSeconds,
  collModReply,
  collModSeconds,
} from './collMod.ts';
export {
  mayDelete,
  maySubPass,
  type ProcessFacts,
  passGate,
  shouldStartMonitor,
  type TtlMember,
} from './eligibility.ts';
export {
  CLUSTERED_MIN_DATE_MS,
  earliestDue,
  expiryLimitMs,
  isExpired,
  MAX_EXPIRE_AFTER_SECONDS,
  MIN_DATE_MS,
  truncateSeconds,
} from './expiry.ts';
export { type TtlLogId, ttlLog } from './logs.ts';
export {
  DEFAULT_TTL_PARAMETERS,
  isTtlParameter,
  TTL_PARAMETERS,
  type TtlParameter,
  type TtlParameterName,
  type TtlParameters,
  ttlParametersOf,
} from './parameters.ts';
export { isNaNOption, repairedExpireAfterSeconds } from './repair.ts';
export type { TtlCache, TtlEntry } from './ttlCache.ts';
export {
  checkTtlCollection,
  isIdKey,
  isInvalidExpireAfterSeconds,
  listedExpireAfterSeconds,
  storedExpireAfterSeconds,
  type TtlIndexSpec,
  type TtlKind,
  type TtlSkipLogId,
  ttlKindOf,
  validateTtlSpec,
} from './ttlIndex.ts';
export { step } from './ttlMonitor.ts';
export {
  initialTtlState,
  type TtlCounters,
  type TtlEffect,
  type TtlEvent,
  type TtlState,
  type TtlVisit,
  ttlMetrics,
  type VisitResult,
} from './ttlState.ts';
