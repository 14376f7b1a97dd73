export { IncidentError } from './incidentError.ts';
export { type ReadConf, readConf } from './readConf.ts';
