import java.io.IOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;

/** Reads a ZIP archive from the standard input as a stream, and prints the name and the SHA-256 of each file. */
public class StreamReader {
    public static void main(String[] arguments) throws IOException, NoSuchAlgorithmException {
        ZipInputStream archive = new ZipInputStream(System.in);
        for (ZipEntry entry = archive.getNextEntry(); entry != null; entry = archive.getNextEntry()) {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(archive.readAllBytes());
            System.out.write((HexFormat.of().formatHex(digest) + " " + entry.getName() + "\n").getBytes("UTF-8"));
        }
        System.out.flush();
    }
}
