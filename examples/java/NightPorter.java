// A night porter: makes a round every two seconds, keeps its log in rounds.properties across restarts, answers on $PORT.

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.Properties;

public class NightPorter {
    private static final Path FILE = Path.of("rounds.properties");
    private static final List<String> PLACES = List.of("cellar", "kitchen", "lobby", "third floor", "roof");

    private final int run;
    private int rounds;

    private NightPorter() throws IOException {
        var saved = new Properties();
        if (Files.exists(FILE)) {
            try (var reader = Files.newBufferedReader(FILE)) {
                saved.load(reader);
            }
        }
        run = Integer.parseInt(saved.getProperty("runs", "0")) + 1;
        rounds = Integer.parseInt(saved.getProperty("rounds", "0"));
    }

    public static void main(String[] arguments) throws Exception {
        var porter = new NightPorter();
        porter.save();
        System.out.printf("The night porter is on duty: run number %d, %d rounds so far.%n", porter.run, porter.rounds);
        Runtime.getRuntime().addShutdownHook(new Thread(porter::goHome));
        porter.answer(Integer.parseInt(System.getenv().getOrDefault("PORT", "3000")));
        while (true) {
            Thread.sleep(2000);
            porter.makeRound();
        }
    }

    private synchronized void makeRound() throws IOException {
        rounds++;
        System.out.printf("round %d: all quiet in the %s (%d MB in use)%n",
                rounds, PLACES.get(rounds % PLACES.size()), memoryMb());
        save();
    }

    /** Runs on SIGTERM. It keeps the lock: no round may begin any more. */
    private synchronized void goHome() {
        try {
            save();
            System.out.printf("bye: the log is saved with %d rounds%n", rounds);
            Runtime.getRuntime().halt(0);
        } catch (IOException error) {
            System.err.println("The log could not be saved: " + error);
            Runtime.getRuntime().halt(1);
        }
    }

    private void answer(int port) throws IOException {
        var server = HttpServer.create(new InetSocketAddress(port), 0);
        server.createContext("/", exchange -> {
            var body = state().getBytes(StandardCharsets.UTF_8);
            exchange.getResponseHeaders().set("Content-Type", "application/json");
            exchange.sendResponseHeaders(200, body.length);
            exchange.getResponseBody().write(body);
            exchange.close();
        });
        server.start();
    }

    private synchronized String state() {
        return "{\"runs\":%d,\"rounds\":%d,\"memory_mb\":%d}%n".formatted(run, rounds, memoryMb());
    }

    /** The new log takes the old one's place in one step: a sudden end leaves either, never half of one. */
    private void save() throws IOException {
        var fresh = Path.of("rounds.properties.new");
        Files.writeString(fresh, "runs=%d%nrounds=%d%n".formatted(run, rounds));
        Files.move(fresh, FILE, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.ATOMIC_MOVE);
    }

    private static long memoryMb() {
        var runtime = Runtime.getRuntime();
        return (runtime.totalMemory() - runtime.freeMemory()) / 1024 / 1024;
    }
}
