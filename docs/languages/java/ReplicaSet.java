// A replica set for JUnit 5 (Java 17 or later). Tested with JUnit 5.9 and the driver 3.6 of Debian 12, at speed 1 and at speed 0.
import java.io.BufferedReader;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse.BodyHandlers;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** A set that {@code replsim serve} runs, a new one for each test. The variable REPLSIM says where the program is. */
public final class ReplicaSet implements BeforeEachCallback, AfterEachCallback {
  private final String[] options;
  private Process process;
  private String control;
  public String uri;

  public ReplicaSet(String... options) {
    this.options = options;
  }

  @Override
  public void beforeEach(ExtensionContext context) throws IOException {
    String program = System.getenv().getOrDefault("REPLSIM", "node_modules/.bin/replsim");
    List<String> command = new ArrayList<>(List.of(program, "serve", "--port", "0", "--control", "0", "--json", "--quiet", "--exit-with-parent"));
    command.addAll(List.of(options));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader lines = process.inputReader();
    String serving = lines.readLine();
    // The second line says that there is a primary.
    if (lines.readLine() == null) throw new IllegalStateException("replsim serve has ended; it says why on stderr");
    uri = field(serving, "uri");
    control = field(serving, "control");
  }

  /** A POST of docs/serve.md, with JSON: {@code post("fault", "{\"kill\": \"primary\"}")}. Returns the reply, which is JSON. */
  public String post(String verb, String json) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(control + "/" + verb)).POST(BodyPublishers.ofString(json)).build());
  }

  /** A GET of docs/serve.md: {@code get("status")}. */
  public String get(String verb) throws IOException, InterruptedException {
    return send(HttpRequest.newBuilder(URI.create(control + "/" + verb)).build());
  }

  private static String send(HttpRequest request) throws IOException, InterruptedException {
    var response = HttpClient.newHttpClient().send(request, BodyHandlers.ofString());
    if (response.statusCode() != 200) throw new IllegalStateException(response.body());
    return response.body();
  }

  /** A text in a reply; for more, use the JSON library of your project. */
  public static String field(String json, String name) {
    var found = Pattern.compile("\"" + name + "\":\"([^\"]*)\"").matcher(json);
    if (!found.find()) throw new IllegalStateException("no " + name + " in " + json);
    return found.group(1);
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    process.destroy();
    process.waitFor();
  }
}
