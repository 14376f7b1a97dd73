import type { MongodVersion } from '@replsim/protocol';

/** What `replsim serve` takes from a `mongod.conf`. */
export interface FromConf {
  replSet?: string;
  port?: number;
  maxIncomingConnections?: number;
  oplogSizeMB?: number;
  oplogMinRetentionHours?: number;
  networkMessageCompressors?: string;
  /** By mongod's names under `net.tls`. */
  tls?: Record<string, unknown>;
  authorization?: 'enabled' | 'disabled';
  keyFile?: string;
  transitionToAuth?: boolean;
  readonly parameters: Record<string, unknown>;
}

/** What else matters when a setting is judged. */
export interface Around {
  readonly version: MongodVersion;
}

/** A setting that has an effect here: its value goes into `conf`. @returns what is wrong with the value */
type Obeyed = (conf: FromConf, value: unknown) => string | undefined;
/** Why a setting cannot be had here; undefined where its value asks for nothing that is missing. */
type Judge = (value: unknown, around: Around) => string | undefined;

/** What becomes of a setting: it is obeyed, or judged; what passes is listed as without effect, with `unused` as the reason. */
export interface Fate {
  readonly obey?: Obeyed;
  readonly refuse?: Judge;
  /** Undefined where nothing need be said. */
  readonly unused?: string;
}

export const PROCESS = 'it affects only how the process runs';
export const FILES = 'the storage engine here has no such option';
const GONE = 'current releases do not have it';

const only =
  (allowed: readonly unknown[], why: string): Judge =>
  (value) =>
    allowed.includes(value) ? undefined : why;

const number =
  (
    name: 'port' | 'maxIncomingConnections' | 'oplogSizeMB' | 'oplogMinRetentionHours',
    least: number,
    most: number,
    whole = true,
  ): Obeyed =>
  (conf, value) => {
    if (typeof value !== 'number' || value < least || value > most || (whole && !Number.isInteger(value)))
      return `must be a ${whole ? 'whole ' : ''}number from ${least} to ${most}, not ${JSON.stringify(value)}`;
    conf[name] = value;
    return undefined;
  };

const MEMBERS_TALK = 'members do not connect over sockets';

/** Options of TLS; whether they fit each other is judged when all are known. */
const tls =
  (name: string, type: 'string' | 'boolean'): Obeyed =>
  (conf, value) => {
    if (typeof value !== type) return `must be a ${type}, not ${JSON.stringify(value)}`;
    conf.tls = { ...conf.tls, [name]: value };
    return undefined;
  };

/** It never was a parameter, and people take it for one. */
export const MAJORITY_READS = 'a startup option until 4.4, and always true since 5.0';

const majorityReads: Judge = (value, { version }) =>
  value === false
    ? version === '4.4' || version === '3.2'
      ? 'a set without majority read concern cannot be simulated; remove it'
      : `it was ${MAJORITY_READS}; remove it`
    : undefined;

/** Options of a mongod's command line that scenarios and option lists are given, and the setting that each stands for. */
const OPTIONS: Readonly<Record<string, string>> = {
  wiredTigerCacheSizeGB: 'storage.wiredTiger.engineConfig.cacheSizeGB',
  wiredTigerCacheSizePct: 'storage.wiredTiger.engineConfig.cacheSizePct',
  wiredTigerEngineConfigString: 'storage.wiredTiger.engineConfig.configString',
  wiredTigerJournalCompressor: 'storage.wiredTiger.engineConfig.journalCompressor',
  wiredTigerDirectoryForIndexes: 'storage.wiredTiger.engineConfig.directoryForIndexes',
  wiredTigerCollectionConfigString: 'storage.wiredTiger.collectionConfig.configString',
  wiredTigerCollectionBlockCompressor: 'storage.wiredTiger.collectionConfig.blockCompressor',
  wiredTigerIndexConfigString: 'storage.wiredTiger.indexConfig.configString',
  wiredTigerIndexPrefixCompression: 'storage.wiredTiger.indexConfig.prefixCompression',
  wiredTiger: 'storage.wiredTiger.engineConfig',
  enableMajorityReadConcern: 'replication.enableMajorityReadConcern',
  storageEngine: 'storage.engine',
  engine: 'storage.engine',
  directoryperdb: 'storage.directoryPerDB',
  journal: 'storage.journal.enabled',
  bindIp: 'net.bindIp',
  bind_ip: 'net.bindIp',
  bind_ip_all: 'net.bindIpAll',
  logpath: 'systemLog.path',
  fork: 'processManagement.fork',
  keyFile: 'security.keyFile',
};

/** The setting of a `mongod.conf` that an option of the command line stands for. */
export function settingOfOption(name: string): string | undefined {
  return Object.hasOwn(OPTIONS, name) ? OPTIONS[name] : undefined;
}

/** What becomes of a setting; undefined where a mongod has none of that path. */
export function fateOfSetting(path: string): Fate | undefined {
  if (Object.hasOwn(SETTINGS, path)) return SETTINGS[path];
  for (let at = path.lastIndexOf('.'); at > 0; at = path.lastIndexOf('.', at - 1)) {
    const all = `${path.slice(0, at)}.*`;
    if (Object.hasOwn(SETTINGS, all)) return SETTINGS[all];
  }
  return undefined;
}

/** Every setting of a `mongod.conf` by its path, and what becomes of it. A path that ends in `.*` stands for all below it. */
export const SETTINGS: Readonly<Record<string, Fate>> = {
  'replication.replSetName': {
    obey: (conf, value) => {
      if (typeof value !== 'string' || value === '') return `must be a name, not ${JSON.stringify(value)}`;
      conf.replSet = value;
      return undefined;
    },
  },
  'replication.replSet': { refuse: () => 'the setting is called replication.replSetName' },
  'replication.oplogSizeMB': { obey: number('oplogSizeMB', 0.001, 1e9, false) },
  'replication.enableMajorityReadConcern': {
    refuse: majorityReads,
    unused: `it was ${MAJORITY_READS}`,
  },
  'replication.secondaryIndexPrefetch': { unused: GONE },
  'net.port': { obey: number('port', 0, 65_535) },
  'net.bindIp': { unused: 'ports are open on loopback only; --bind sets another address' },
  'net.bindIpAll': { unused: 'ports are open on loopback only; --bind 0.0.0.0 opens all addresses' },
  'net.ipv6': { unused: '--bind ::1 listens on IPv6' },
  'net.maxIncomingConnections': { obey: number('maxIncomingConnections', 5, 1e6) },
  'net.maxIncomingConnectionsOverride': { unused: 'the limit of connections holds for every client' },
  'net.wireObjectCheck': { refuse: only([true], 'documents from clients are always checked; remove it') },
  'net.listenBacklog': { unused: PROCESS },
  'net.serviceExecutor': { unused: PROCESS },
  'net.transportLayer': { unused: PROCESS },
  'net.unixDomainSocket.*': { unused: 'there are no Unix domain sockets' },
  'net.compression.compressors': {
    obey: (conf, value) => {
      if (typeof value !== 'string') return `must be names with commas between them, not ${JSON.stringify(value)}`;
      conf.networkMessageCompressors = value;
      return undefined;
    },
  },
  'net.http.*': { unused: GONE },
  'net.tls.mode': { obey: tls('mode', 'string') },
  'net.tls.certificateKeyFile': { obey: tls('certificateKeyFile', 'string') },
  'net.tls.certificateKeyFilePassword': { obey: tls('certificateKeyFilePassword', 'string') },
  'net.tls.CAFile': { obey: tls('CAFile', 'string') },
  'net.tls.allowConnectionsWithoutCertificates': { obey: tls('allowConnectionsWithoutCertificates', 'boolean') },
  'net.tls.allowInvalidCertificates': { obey: tls('allowInvalidCertificates', 'boolean') },
  'net.tls.disabledProtocols': { obey: tls('disabledProtocols', 'string') },
  'net.tls.allowInvalidHostnames': { unused: MEMBERS_TALK },
  'net.tls.clusterFile': { unused: MEMBERS_TALK },
  'net.tls.clusterPassword': { unused: MEMBERS_TALK },
  'net.tls.clusterCAFile': { unused: MEMBERS_TALK },
  'net.tls.logVersions': { unused: PROCESS },
  'net.tls.CRLFile': { refuse: () => 'revocation lists are not supported; remove it' },
  'net.tls.certificateSelector': { refuse: () => 'the certificate is read from a file: write certificateKeyFile' },
  'net.tls.clusterCertificateSelector': { unused: MEMBERS_TALK },
  'net.tls.FIPSMode': { refuse: only([false], 'FIPS mode is not supported; remove it') },
  'net.ssl.mode': { obey: tls('mode', 'string') },
  'net.ssl.PEMKeyFile': { obey: tls('certificateKeyFile', 'string') },
  'net.ssl.PEMKeyPassword': { obey: tls('certificateKeyFilePassword', 'string') },
  'net.ssl.CAFile': { obey: tls('CAFile', 'string') },
  'net.ssl.allowConnectionsWithoutCertificates': { obey: tls('allowConnectionsWithoutCertificates', 'boolean') },
  'net.ssl.allowInvalidCertificates': { obey: tls('allowInvalidCertificates', 'boolean') },
  'net.ssl.disabledProtocols': { obey: tls('disabledProtocols', 'string') },
  'net.ssl.*': { refuse: () => 'write it under net.tls' },
  'storage.dbPath': { unused: 'the folder belongs to a mongod; --dbpath DIR stores the data of this set' },
  'storage.engine': {
    refuse: only(['wiredTiger'], 'members behave as with wiredTiger; other engines cannot be simulated'),
  },
  'storage.journal.enabled': { refuse: only([true], 'members of a replica set always have a journal; remove it') },
  'storage.journal.commitIntervalMs': {
    obey: (conf, value) => {
      conf.parameters.journalCommitInterval = value;
      return undefined;
    },
  },
  'storage.oplogMinRetentionHours': { obey: number('oplogMinRetentionHours', 0, 1e6, false) },
  'storage.syncPeriodSecs': {
    obey: (conf, value) => {
      conf.parameters.syncdelay = value;
      return undefined;
    },
  },
  'storage.directoryPerDB': { unused: FILES },
  'storage.wiredTiger.*': { unused: FILES },
  'storage.inMemory.*': { unused: FILES },
  'storage.mmapv1.*': { unused: GONE },
  'storage.queryableBackupMode': { refuse: only([false], 'a member cannot be started as a read-only backup') },
  'storage.repairPath': { unused: FILES },
  'storage.indexBuildRetry': { unused: GONE },
  'storage.restore': { refuse: only([false], 'a member cannot be started from a selective restore') },
  'security.authorization': {
    obey: (conf, value) => {
      if (value !== 'enabled' && value !== 'disabled')
        return `must be enabled or disabled, not ${JSON.stringify(value)}`;
      conf.authorization = value;
      return undefined;
    },
  },
  'security.keyFile': {
    obey: (conf, value) => {
      if (typeof value !== 'string' || value === '') return `must be the path of a file, not ${JSON.stringify(value)}`;
      conf.keyFile = value;
      return undefined;
    },
  },
  'security.clusterAuthMode': {
    refuse: only(['keyFile'], 'members know each other by a key file, and not by certificates; remove it'),
    unused: 'it is the only mode here',
  },
  'security.transitionToAuth': {
    obey: (conf, value) => {
      if (typeof value !== 'boolean') return `must be true or false, not ${JSON.stringify(value)}`;
      conf.transitionToAuth = value;
      return undefined;
    },
  },
  'security.javascriptEnabled': {
    refuse: only([false, true], 'must be true or false'),
    unused: 'clients can never run JavaScript',
  },
  'security.redactClientLogData': { unused: PROCESS },
  'security.clusterIpSourceAllowlist': { unused: 'a member may connect from any address' },
  'security.clusterIpSourceWhitelist': { unused: 'a member may connect from any address' },
  'security.sasl.*': { unused: 'clients log in with SCRAM' },
  'security.ldap.*': { refuse: () => 'clients can only log in with SCRAM or a certificate; remove the section' },
  'security.enableEncryption': { refuse: only([false], 'data are not encrypted; remove it') },
  'security.encryptionCipherMode': { unused: FILES },
  'security.encryptionKeyFile': { unused: FILES },
  'security.kmip.*': { unused: FILES },
  'operationProfiling.mode': {
    refuse: only(['off'], 'the profiler cannot be on from the start; clients turn it on with db.setProfilingLevel()'),
  },
  'operationProfiling.*': { unused: 'clients set it with db.setProfilingLevel()' },
  'sharding.*': { refuse: () => 'there is no sharding here; remove the section' },
  'processManagement.*': { unused: PROCESS },
  'systemLog.*': { unused: 'serve prints its transcript; `replsim run --logs` writes logs' },
  'cloud.*': { unused: 'there is no monitoring service' },
  'auditLog.*': { unused: 'there is no audit log' },
  'snmp.*': { unused: 'there is no SNMP' },
};
