// A bot that starts programs until it is refused, and tells why and after how many.
import java.io.IOException;

public class Spawner {
  public static void main(String[] words) throws Exception {
    String refusal = "";
    int started = 0;
    while (refusal.isEmpty() && started < 1000) {
      try {
        new ProcessBuilder("/bin/sleep", "1000").start();
        started++;
      } catch (IOException error) {
        refusal = error.getMessage().replaceAll("[^A-Za-z0-9=: ,.]", " ");
      }
    }
    System.out.println("{\"refusal\":\"" + refusal + "\",\"started\":" + started + "}");
    Thread.sleep(Long.MAX_VALUE);
  }
}
