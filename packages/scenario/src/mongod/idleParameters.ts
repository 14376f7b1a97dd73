import { ownerElsewhere } from '@replsim/pipeline';
import { FILES, MAJORITY_READS, PROCESS, settingOfOption } from './settings.ts';

/** Why a name that is given to `setParameter` at startup says nothing here. */
export interface Idle {
  readonly why: string;
  /** A mongod would not start with it. */
  readonly refused: boolean;
}

const ALLOCATOR = 'memory is managed by Node.js';
const NO_CONNECTIONS = 'members do not connect over sockets';

/**
 * Families of a mongod's parameters that change how fast or with which files it works, and not what it answers. Others that a
 * mongod has and replsim lacks are refused, for they may change what a test sees.
 */
const FAMILIES: readonly (readonly [RegExp, why: string])[] = [
  [/^wiredTiger[A-Z]/, FILES],
  [/^spill(WiredTiger|Path|Table)/, FILES],
  [/^(storageEngine|throughputProbing)[A-Z]/, 'operations on one member do not compete'],
  [/^(enableFlowControl$|flowControl[A-Z])/, 'there is no flow control'],
  [/^diagnosticDataCollection(?!Enabled$)/, 'no diagnostic data are gathered'],
  [/^(tcmalloc|heapProfiling)[A-Z]/, ALLOCATOR],
  [/^(connPool|globalConnPool|shardedConnPool|tcpFastOpen)[A-Z]/, NO_CONNECTIONS],
  [/^(watchdogPeriodSeconds|honorSystemUmask|processUmask|automationServiceDescriptor)$/, PROCESS],
  [/^(maxLogSizeKB|logFormat|traceExceptions|redactEncryptedFields|suppressNoTLSPeerCertificateWarning)$/, PROCESS],
  [/^(tls|ssl|openssl)[A-Z]/, 'options of the command line secure the ports'],
];

/**
 * Whether a parameter says nothing here though a mongod has it, or is an option that a mongod had once.
 * @returns undefined for every other name
 */
export function whyIdle(name: string, value: unknown): Idle | undefined {
  if (name === 'enableMajorityReadConcern')
    return {
      why: `it is not a parameter: it was ${MAJORITY_READS}${value === false ? '; remove it' : ''}`,
      refused: value === false,
    };
  const isKnown = ownerElsewhere(name) !== undefined || settingOfOption(name) !== undefined;
  const family = isKnown ? FAMILIES.find(([names]) => names.test(name)) : undefined;
  return family && { why: family[1], refused: false };
}
