// Tests that use ReplicaSet.cs, with xUnit and MongoDB.Driver 3. Reviewed, not run.
using MongoDB.Bson;
using MongoDB.Driver;
using Xunit;

public sealed class SessionsTests : IDisposable
{
    private readonly ReplicaSet _set = new();
    private readonly MongoClient _client;

    public SessionsTests() => _client = new MongoClient(_set.Uri);

    public void Dispose()
    {
        _client.Dispose();
        _set.Dispose();
    }

    [Fact]
    public async Task OldSessionsAreDeleted()
    {
        var sessions = _client.GetDatabase("app").GetCollection<BsonDocument>("sessions");
        var keys = Builders<BsonDocument>.IndexKeys.Ascending("lastSeen");
        var options = new CreateIndexOptions { ExpireAfter = TimeSpan.FromSeconds(60) };
        await sessions.Indexes.CreateOneAsync(new CreateIndexModel<BsonDocument>(keys, options));
        await sessions.InsertOneAsync(new BsonDocument("lastSeen", DateTime.UtcNow));
        await _set.Control("advance", "61s");
        await _set.Control("until-ttl-pass", new { });
        Assert.Equal(0, await sessions.CountDocumentsAsync(new BsonDocument()));
    }

    [Fact]
    public async Task OrdersSurviveAFailover()
    {
        var orders = _client.GetDatabase("app").GetCollection<BsonDocument>("orders");
        await orders.InsertOneAsync(new BsonDocument("_id", 1));
        var killed = (await _set.Control("status")).GetProperty("primary").GetString();
        var failover = await _set.Control("fault", new { kill = "primary", untilPrimary = true });
        Assert.NotEqual(killed, failover.GetProperty("primary").GetString());
        await orders.InsertOneAsync(new BsonDocument("_id", 2));
        Assert.Equal(2, await orders.CountDocumentsAsync(new BsonDocument()));
    }
}
