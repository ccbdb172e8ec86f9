int32_t model_self_test(model_scratch *scratch)
{
    for (int32_t test = 0; test < TESTS; test++) {
        if (model_scores(test_samples[test], scratch) != 0) {
            return test + 1;
        }
        for (uint32_t output = 0u; output < OUTPUTS; output++) {
            if (scratch->scores[output] != test_scores[test][output]) {
                return test + 1;
            }
        }
    }
    return 0;
}
