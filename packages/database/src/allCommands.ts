import { connectionStatus } from './access/connectionStatus.ts';
import { managingCommands } from './access/managingCommands.ts';
import { saslCommands } from './access/saslCommands.ts';
import { apiTestCommands } from './admin/apiTestCommands.ts';
import { dataSize } from './admin/dataSize.ts';
import { diagnosticCommands } from './admin/diagnostics.ts';
import { failPointCommands } from './admin/failPointCommands.ts';
import { setFeatureCompatibilityVersion } from './admin/featureCompatibility.ts';
import { internalCommands } from './admin/internals.ts';
import { logCommands } from './admin/logs.ts';
import { maintenanceCommands } from './admin/maintenance.ts';
import { operationCommands } from './admin/operations.ts';
import { parameterCommands } from './admin/parameterCommands.ts';
import { planCacheCommands } from './admin/planCache.ts';
import { profile } from './admin/profileCommand.ts';
import { serverStatusCommands } from './admin/serverStatus.ts';
import { sessionCommands } from './admin/sessionCommands.ts';
import { statsCommands } from './admin/stats.ts';
import { top } from './admin/top.ts';
import { transactionCommands } from './admin/transactionCommands.ts';
import { twoPhaseCommitCommands } from './admin/twoPhaseCommit.ts';
import { validate } from './admin/validate/validateCommand.ts';
import { aggregate } from './aggregation/aggregate.ts';
import { mapReduce } from './aggregation/mapReduce.ts';
import { applyOps } from './applyOps/applyOps.ts';
import { cloneCollectionAsCapped } from './catalog/cloneCollectionAsCapped.ts';
import { collMod } from './catalog/collMod.ts';
import { convertToCapped } from './catalog/convertToCapped.ts';
import { create } from './catalog/create.ts';
import { createIndexes } from './catalog/createIndexes.ts';
import { dropCommands } from './catalog/drop.ts';
import { dropIndexes } from './catalog/dropIndexes.ts';
import { listCollections } from './catalog/listCollections.ts';
import { listDatabases } from './catalog/listDatabases.ts';
import { listIndexes } from './catalog/listIndexes.ts';
import { renameCollection } from './catalog/renameCollection.ts';
import { searchIndexCommands } from './catalog/searchIndexes.ts';
import { setIndexCommitQuorum } from './catalog/setIndexCommitQuorum.ts';
import { bulkWrite } from './crud/bulkWrite.ts';
import { count } from './crud/count.ts';
import { deleteCommand } from './crud/delete.ts';
import { distinct } from './crud/distinct.ts';
import { find } from './crud/find.ts';
import { findAndModify } from './crud/findAndModify.ts';
import { cursorCommands } from './crud/getMore.ts';
import { insert } from './crud/insert.ts';
import { update } from './crud/update.ts';
import type { CommandDefinition } from './definition.ts';
import { explain } from './explain/explainCommand.ts';

/** Every command but those of replication (`hello`, `replSet…`), which know more of a mongod than `MemberServices` shows. */
export function allCommands(): readonly CommandDefinition[] {
  return [
    insert,
    find,
    ...cursorCommands,
    count,
    distinct,
    update,
    deleteCommand,
    bulkWrite,
    findAndModify,
    applyOps,
    aggregate,
    mapReduce,
    explain,
    create,
    ...dropCommands,
    listCollections,
    listIndexes,
    setIndexCommitQuorum,
    listDatabases,
    createIndexes,
    dropIndexes,
    collMod,
    convertToCapped,
    renameCollection,
    ...parameterCommands,
    ...sessionCommands,
    ...transactionCommands,
    ...twoPhaseCommitCommands,
    ...diagnosticCommands,
    ...failPointCommands,
    ...logCommands,
    profile,
    ...operationCommands,
    ...statsCommands,
    dataSize,
    ...maintenanceCommands,
    setFeatureCompatibilityVersion,
    cloneCollectionAsCapped,
    top,
    validate,
    ...serverStatusCommands,
    ...internalCommands,
    ...planCacheCommands,
    ...saslCommands,
    ...managingCommands,
    connectionStatus,
    ...apiTestCommands,
    ...searchIndexCommands,
  ];
}
