/* Only predicts: the firmware whose bytes are counted. HEADER is the header of MODEL, of LENGTH inputs. */
#include HEADER

#define JOIN(model, suffix) model##suffix
#define OF(model, suffix) JOIN(model, suffix)

void run(void);

/* Stand for a sensor that fills the sample, and an actuator that takes the class. */
OF(MODEL, _number) sample[LENGTH];
volatile int32_t predicted;

void run(void)
{
    OF(MODEL, _scratch) scratch;
    for (;;) {
        predicted = OF(MODEL, _predict)(sample, &scratch);
    }
}
