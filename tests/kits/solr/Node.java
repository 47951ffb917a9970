import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Properties;
import org.apache.solr.embedded.JettyConfig;
import org.apache.solr.embedded.JettySolrRunner;
import org.apache.zookeeper.server.ServerConfig;
import org.apache.zookeeper.server.ZooKeeperServerMain;

/** A process of a cluster for tests: `zookeeper PORT FOLDER`, or a Solr node: `PORT FOLDER ZOOKEEPER`. Ends with its parent. */
public class Node {
    public static void main(String[] given) throws Exception {
        Thread parent = new Thread(() -> {
            try {
                System.in.read();
            } catch (java.io.IOException closed) {
                // so it has gone
            }
            Runtime.getRuntime().halt(1);
        });
        parent.setDaemon(true);
        parent.start();
        if (given[0].equals("zookeeper")) {
            System.setProperty("zookeeper.admin.enableServer", "false");
            ServerConfig config = new ServerConfig();
            config.parse(new String[] {given[1], given[2]});
            new ZooKeeperServerMain().runFromConfig(config);
            return;
        }
        Path home = Files.createDirectories(Path.of(given[1]));
        Files.writeString(home.resolve("solr.xml"),
            "<solr><solrcloud><str name='host'>127.0.0.1</str><int name='hostPort'>" + given[0] + "</int>"
            + "<str name='hostContext'>/solr</str><str name='zkHost'>" + given[2] + "</str>"
            + "<int name='zkClientTimeout'>10000</int></solrcloud></solr>");
        Properties properties = new Properties();
        properties.setProperty("zkHost", given[2]);
        JettyConfig jetty = JettyConfig.builder().setPort(Integer.parseInt(given[0])).setContext("/solr").build();
        new JettySolrRunner(home.toString(), properties, jetty).start();
        Thread.currentThread().join();
    }
}
