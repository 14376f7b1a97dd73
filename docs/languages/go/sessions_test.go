// Tests that use replsim_test.go, with the driver go.mongodb.org/mongo-driver/v2. Reviewed, not run.
package sessions

import (
	"context"
	"testing"
	"time"

	"go.mongodb.org/mongo-driver/v2/bson"
	"go.mongodb.org/mongo-driver/v2/mongo"
	"go.mongodb.org/mongo-driver/v2/mongo/options"
)

func connect(t *testing.T, set *ReplicaSet) *mongo.Database {
	t.Helper()
	client, err := mongo.Connect(options.Client().ApplyURI(set.URI))
	if err != nil {
		t.Fatal(err)
	}
	// Not t.Context(), which has ended by the time that a cleanup runs.
	t.Cleanup(func() { _ = client.Disconnect(context.Background()) })
	return client.Database("app")
}

func TestOldSessionsAreDeleted(t *testing.T) {
	set := startReplicaSet(t)
	sessions := connect(t, set).Collection("sessions")
	index := mongo.IndexModel{Keys: bson.D{{Key: "lastSeen", Value: 1}}, Options: options.Index().SetExpireAfterSeconds(60)}
	if _, err := sessions.Indexes().CreateOne(t.Context(), index); err != nil {
		t.Fatal(err)
	}
	if _, err := sessions.InsertOne(t.Context(), bson.M{"lastSeen": time.Now()}); err != nil {
		t.Fatal(err)
	}
	set.Control(t, "advance", "61s")
	set.Control(t, "until-ttl-pass", bson.M{})
	left, err := sessions.CountDocuments(t.Context(), bson.D{})
	if err != nil || left != 0 {
		t.Fatalf("%d left, %v", left, err)
	}
}

func TestOrdersSurviveAFailover(t *testing.T) {
	set := startReplicaSet(t)
	orders := connect(t, set).Collection("orders")
	if _, err := orders.InsertOne(t.Context(), bson.M{"_id": 1}); err != nil {
		t.Fatal(err)
	}
	killed := set.Control(t, "status", nil)["primary"]
	elected := set.Control(t, "fault", map[string]any{"kill": "primary", "untilPrimary": true})["primary"]
	if killed == elected {
		t.Fatalf("%v is still primary", killed)
	}
	if _, err := orders.InsertOne(t.Context(), bson.M{"_id": 2}); err != nil {
		t.Fatal(err)
	}
}
