<?php
// A test that uses ReplicaSet.php. It needs only the extension, not the library mongodb/mongodb, which is more comfortable.
require __DIR__ . '/ReplicaSet.php';

use MongoDB\BSON\UTCDateTime;
use MongoDB\Driver\{BulkWrite, Command, Manager, Query};

ini_set('zend.assertions', '1');
ini_set('assert.exception', '1');

function insert(Manager $manager, string $namespace, array $document): void
{
    $write = new BulkWrite();
    $write->insert($document);
    $manager->executeBulkWrite($namespace, $write);
}

function countOf(Manager $manager, string $namespace): int
{
    return count($manager->executeQuery($namespace, new Query([]))->toArray());
}

$set = new ReplicaSet();
try {
    $manager = new Manager($set->uri);
    $index = ['key' => ['lastSeen' => 1], 'name' => 'lastSeen_1', 'expireAfterSeconds' => 60];
    $manager->executeCommand('app', new Command(['createIndexes' => 'sessions', 'indexes' => [$index]]));
    insert($manager, 'app.sessions', ['lastSeen' => new UTCDateTime()]);
    $set->control('advance', '61s');
    $set->control('until-ttl-pass', (object) []);
    assert(countOf($manager, 'app.sessions') === 0);
    echo "old sessions are deleted\n";

    insert($manager, 'app.orders', ['_id' => 1]);
    $killed = $set->control('status')['primary'];
    $elected = $set->control('fault', ['kill' => 'primary', 'untilPrimary' => true])['primary'];
    assert($elected !== $killed);
    insert($manager, 'app.orders', ['_id' => 2]);
    assert(countOf($manager, 'app.orders') === 2);
    echo "orders survive a failover\n";

    try {
        $set->control('fault', ['kil' => 'primary']);
        assert(false);
    } catch (RuntimeException $error) {
        assert(str_contains($error->getMessage(), 'fault has no field "kil"'));
        echo "a mistake says what is wrong\n";
    }
} finally {
    $set->stop();
}
