// A replica set for xUnit, NUnit or MSTest (.NET 8). Reviewed, not run: no test of this repository has a .NET SDK.
using System.Diagnostics;
using System.Text;
using System.Text.Json;

/// <summary>A set that `replsim serve` runs. The variable REPLSIM says where the program is.</summary>
public sealed class ReplicaSet : IDisposable
{
    private static readonly HttpClient Http = new();
    private readonly Process _process;
    private readonly string _control;

    public string Uri { get; }

    public ReplicaSet(params string[] options)
    {
        var program = Environment.GetEnvironmentVariable("REPLSIM") ?? "node_modules/.bin/replsim";
        string[] arguments = ["serve", "--port", "0", "--control", "0", "--json", "--quiet", "--exit-with-parent", .. options];
        _process = Process.Start(new ProcessStartInfo(program, arguments) { RedirectStandardOutput = true })!;
        var serving = _process.StandardOutput.ReadLine();
        // The second line says that there is a primary.
        if (serving is null || _process.StandardOutput.ReadLine() is null)
            throw new InvalidOperationException("replsim serve has ended; it says why on stderr");
        using var document = JsonDocument.Parse(serving);
        Uri = document.RootElement.GetProperty("uri").GetString()!;
        _control = document.RootElement.GetProperty("control").GetString()!;
    }

    /// <summary>Any request of docs/serve.md: Control("fault", new { kill = "primary" }). Without a body it is a GET.</summary>
    public async Task<JsonElement> Control(string verb, object? body = null)
    {
        var address = $"{_control}/{verb}";
        var response = body is null
            ? await Http.GetAsync(address)
            : await Http.PostAsync(address, new StringContent(JsonSerializer.Serialize(body), Encoding.UTF8, "application/json"));
        using var document = JsonDocument.Parse(await response.Content.ReadAsStringAsync());
        if (!response.IsSuccessStatusCode)
            throw new InvalidOperationException($"{verb}: {document.RootElement.GetProperty("errmsg").GetString()}");
        return document.RootElement.Clone();
    }

    public void Dispose()
    {
        _process.Kill(entireProcessTree: true);
        _process.WaitForExit();
        _process.Dispose();
    }
}
