export { type Evidence, EvidenceReader, together } from './evidence.ts';
export { IncidentError } from './incidentError.ts';
export type { Incident } from './infer/incident.ts';
export { infer } from './infer/infer.ts';
export { LogReader, readLogs } from './logs/logReader.ts';
export type { MemberLog } from './logs/memberLog.ts';
export { type ReadConf, readConf } from './readConf.ts';
export { readStatus, type Status } from './status/readStatus.ts';
export { write } from './write.ts';
