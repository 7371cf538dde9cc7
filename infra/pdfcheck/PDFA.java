import java.io.FileInputStream;
import java.util.logging.LogManager;
import org.verapdf.gf.foundry.VeraGreenfieldFoundryProvider;
import org.verapdf.pdfa.Foundries;
import org.verapdf.pdfa.PDFAParser;
import org.verapdf.pdfa.PDFAValidator;
import org.verapdf.pdfa.flavours.PDFAFlavour;
import org.verapdf.pdfa.results.TestAssertion;
import org.verapdf.pdfa.results.ValidationResult;

/** Tells which of the named files aren't PDF/A-3b, and why: a line each on standard output. */
public final class PDFA {
    private PDFA() {}

    public static void main(String[] names) throws Exception {
        LogManager.getLogManager().reset(); // it remarks on what is allowed
        VeraGreenfieldFoundryProvider.initialise();
        boolean fine = true;
        for (String name : names) {
            try (PDFAParser parser = Foundries.defaultInstance().createParser(new FileInputStream(name), PDFAFlavour.PDFA_3_B);
                    PDFAValidator validator = Foundries.defaultInstance().createValidator(PDFAFlavour.PDFA_3_B, false)) {
                ValidationResult result = validator.validate(parser);
                for (TestAssertion a : result.getTestAssertions()) {
                    System.out.println(name + ": " + a.getRuleId().getClause() + ": " + a.getMessage() + " (" + a.getLocation().getContext() + ")");
                }
                fine &= result.isCompliant();
            }
        }
        System.exit(fine ? 0 : 1);
    }
}
