// A write to a string literal.
static void upper(char *text) {
    for (; *text; text++)
        *text = (char)(*text - 32);
}

int main(void) {
    char *text = "literal";
    upper(text);
    return 0;
}
