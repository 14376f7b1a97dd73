export { type ReplicaSetApi, ReplSet, type ReplSetOptions } from '@replsim/replset';
export { parseScenario, playScenario } from '@replsim/scenario';
